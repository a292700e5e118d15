// The interpretation of keys and tensors: one damaged file for each unsupported or invalid thing, and
// the words that the error must contain.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

using test::expect_input_error;
using test::GgufWriter;

GgufWriter tiny() { return test::tiny_llama_writer({}, 3, WeightType::kF32); }

struct Change {
  const char* name;
  std::function<void(GgufWriter&)> change;
  std::vector<std::string> expected;  // in the error
};

std::string name_of(const testing::TestParamInfo<Change>& change) { return change.param.name; }

class RefusesModel : public testing::TestWithParam<Change> {};

TEST_P(RefusesModel, AndSaysWhy) {
  GgufWriter writer = tiny();
  EXPECT_NO_THROW(parse_model(writer.bytes(), "x.gguf"));
  GetParam().change(writer);
  const auto bytes = writer.bytes();
  for (const std::string& part : GetParam().expected) {
    expect_input_error([&] { parse_model(bytes, "x.gguf"); }, "x.gguf", part);
  }
}

void add_vector(GgufWriter& writer, const std::string& name) {
  writer.add_tensor({name, {64}, 0, std::vector<std::byte>(256)});
}

const Change kUnsupported[] = {
    {"AnotherArchitecture",
     [](GgufWriter& w) { w.set("general.architecture", "mamba"); },
     {"general.architecture", "mamba", "llama"}},
    {"NoArchitecture",
     [](GgufWriter& w) { w.erase("general.architecture"); },
     {"general.architecture", "missing"}},
    {"Adapter",
     [](GgufWriter& w) { w.set("general.type", "adapter"); },
     {"general.type", "adapter"}},
    {"SplitModel", [](GgufWriter& w) { w.set("split.count", 3u); }, {"split.count", "merge"}},
    {"OldQuantisation",
     [](GgufWriter& w) { w.set("general.quantization_version", 1u); },
     {"general.quantization_version"}},
    {"LinearRopeScaling",
     [](GgufWriter& w) { w.set("llama.rope.scaling.type", "linear"); },
     {"llama.rope.scaling.factor", "missing"}},
    {"RopeScalingOfAnotherKind",
     [](GgufWriter& w) { w.set("llama.rope.scaling.type", "longrope"); },
     {"llama.rope.scaling.type", "longrope"}},
    {"YarnWithoutItsFactor",
     [](GgufWriter& w) { w.set("llama.rope.scaling.type", "yarn"); },
     {"llama.rope.scaling.factor", "missing"}},
    {"RopeScalingFactor",
     [](GgufWriter& w) { w.set("llama.rope.scaling.factor", 4.0f); },
     {"llama.rope.scaling.factor", "4"}},
    {"RopeAttentionFactor",
     [](GgufWriter& w) { w.set("llama.rope.scaling.attn_factor", -1.5f); },
     {"llama.rope.scaling.attn_factor", "-1.5"}},
    {"RopeFrequencies",
     [](GgufWriter& w) { add_vector(w, "rope_freqs.weight"); },
     {"rope_freqs.weight", "has shape"}},
    {"PartialRope",
     [](GgufWriter& w) { w.set("llama.rope.dimension_count", 8u); },
     {"llama.rope.dimension_count", "8", "16"}},
    {"OtherValueWidth",
     [](GgufWriter& w) { w.set("llama.attention.value_length", 32u); },
     {"llama.attention.value_length", "32"}},
    {"WindowsOfOtherLayers",
     [](GgufWriter& w) {
       w.set("llama.attention.sliding_window", 64u);
       w.set("llama.attention.sliding_window_pattern", std::vector<bool>{true, false, true});
     },
     {"llama.attention.sliding_window_pattern", "array of 3", "2, the number of layers"}},
    {"WindowsEverySoManyLayers",
     [](GgufWriter& w) {
       w.set("llama.attention.sliding_window", 64u);
       w.set("llama.attention.sliding_window_pattern", 2u);
     },
     {"llama.attention.sliding_window_pattern", "array of bools"}},
    {"LongRopeWithoutItsShortFactors",
     [](GgufWriter& w) { add_vector(w, "rope_factors_long.weight"); },
     {"rope_factors_long.weight", "not part of"}},
    {"FusedTensors",
     [](GgufWriter& w) { add_vector(w, "blk.0.attn_qkv.weight"); },
     {"blk.0.attn_qkv.weight", "not part of"}},
    {"Experts",
     [](GgufWriter& w) { w.set("llama.expert_count", 8u); },
     {"'llama.expert_used_count' is missing"}},
    {"ExpertsWithoutTheirTensors",
     [](GgufWriter& w) {
       w.set("llama.expert_count", 8u);
       w.set("llama.expert_used_count", 2u);
     },
     {"'blk.0.ffn_gate_inp.weight' is missing"}},
    {"ExpertsByAnotherKey",
     [](GgufWriter& w) { w.set("llama.expert_used_count", 2u); },
     {"'llama.expert_used_count' is 2"}},
    {"ExpertsByTheArchitecture",
     [](GgufWriter& w) { w.set("general.architecture", "qwen2moe"); },
     {"'qwen2moe', a mixture of experts"}},
    {"Hybrids",
     [](GgufWriter& w) { w.set("general.architecture", "qwen35moe"); },
     {"'qwen35moe', layers with a recurrent state"}},
    {"ScaledLogits",
     [](GgufWriter& w) { w.set("llama.logit_scale", 2.0f); },
     {"'llama.logit_scale' is 2: scaled logits"}},
    {"AttentionToLaterTokens",
     [](GgufWriter& w) { w.set("llama.attention.causal", false); },
     {"'llama.attention.causal' is false: attention to later tokens"}},
    {"PositionsOfImages",
     [](GgufWriter& w) {
       w.set("llama.rope.dimension_sections", std::vector<std::int32_t>{16, 24, 24});
     },
     {"'llama.rope.dimension_sections' is a list: positions of images"}},
    {"UnknownKey",
     [](GgufWriter& w) { w.set("llama.warp_factor", 2.0f); },
     {"llama.warp_factor", "unknown"}},
    {"NoMerges",
     [](GgufWriter& w) { w.erase("tokenizer.ggml.merges"); },
     {"'tokenizer.ggml.merges' is missing"}},
    {"NoPreTokenizer",
     [](GgufWriter& w) { w.erase("tokenizer.ggml.pre"); },
     {"'tokenizer.ggml.pre' is missing"}},
    {"Bias",
     [](GgufWriter& w) { add_vector(w, "blk.0.attn_q.bias"); },
     {"blk.0.attn_q.bias", "not part of"}},
    {"LayerTooMany", [](GgufWriter& w) { w.set("llama.block_count", 1u); }, {"blk.1.", "others"}},
    {"LayerTooFew",
     [](GgufWriter& w) { w.set("llama.block_count", 3u); },
     {"blk.2.attn_norm.weight", "missing"}},
    {"LayersThatCannotBe",
     [](GgufWriter& w) { w.set("llama.block_count", 4000u); },
     {"4000 layers"}},
    {"UnknownTokenizerKey",
     [](GgufWriter& w) { w.set("tokenizer.ggml.normalizer.lowercase", true); },
     {"tokenizer.ggml.normalizer.lowercase"}},
    {"EndTokenAfterThePrompt",
     [](GgufWriter& w) { w.set("tokenizer.ggml.add_eos_token", true); },
     {"tokenizer.ggml.add_eos_token"}},
};
INSTANTIATE_TEST_SUITE_P(Unsupported, RefusesModel, testing::ValuesIn(kUnsupported), name_of);

const Change kInconsistent[] = {
    {"NoLayers", [](GgufWriter& w) { w.set("llama.block_count", 0u); }, {"block_count", "is 0"}},
    {"AbsurdWidth",
     [](GgufWriter& w) { w.set("llama.embedding_length", 1u << 30); },
     {"embedding_length", "1073741824"}},
    {"AbsurdContext",
     [](GgufWriter& w) { w.set("llama.context_length", 0xFFFFFFFFu); },
     {"context_length", "4294967295"}},
    {"WidthAsText",
     [](GgufWriter& w) { w.set("llama.embedding_length", "64"); },
     {"embedding_length", "not an integer"}},
    {"NoEpsilon",
     [](GgufWriter& w) { w.erase("llama.attention.layer_norm_rms_epsilon"); },
     {"layer_norm_rms_epsilon", "missing"}},
    {"EpsilonNotANumber",
     [](GgufWriter& w) { w.set("llama.attention.layer_norm_rms_epsilon", NAN); },
     {"layer_norm_rms_epsilon", "nan"}},
    {"NegativeRopeBase",
     [](GgufWriter& w) { w.set("llama.rope.freq_base", -1.0f); },
     {"freq_base", "-1"}},
    {"KeyHeadsThatDoNotDivide",
     [](GgufWriter& w) { w.set("llama.attention.head_count_kv", 3u); },
     {"head_count_kv", "3", "divisor"}},
    {"HeadsThatDoNotDivide",
     [](GgufWriter& w) {
       w.erase("llama.attention.key_length");
       w.set("llama.attention.head_count", 6u);
     },
     {"head_count", "6", "divisor"}},
    {"OddHeads", [](GgufWriter& w) { w.set("llama.attention.key_length", 15u); }, {"15", "even"}},
    {"HeadsThatDifferByLayer",
     [](GgufWriter& w) {
       w.set("llama.attention.head_count_kv", std::vector<std::int32_t>{2, 4});
     },
     {"head_count_kv", "every layer"}},
    {"OtherVocabulary",
     [](GgufWriter& w) { w.set("llama.vocab_size", 300u); },
     {"llama.vocab_size", "300", "274"}},
    {"WrongShape",
     [](GgufWriter& w) {
       w.tensor("blk.1.ffn_up.weight").shape = {96, 64};
     },
     {"blk.1.ffn_up.weight", "[64, 96]", "[96, 64]"}},
    {"ThreeDimensions",
     [](GgufWriter& w) {
       w.tensor("blk.1.ffn_up.weight").shape = {64, 96, 1};
     },
     {"blk.1.ffn_up.weight", "3 dimensions"}},
    {"MissingTensor",
     [](GgufWriter& w) { w.erase_tensor("blk.0.attn_k.weight"); },
     {"blk.0.attn_k.weight", "missing"}},
    {"NoTokens",
     [](GgufWriter& w) {
       w.erase("tokenizer.ggml.tokens");
       w.erase("llama.vocab_size");
     },
     {"tokenizer.ggml.tokens", "missing"}},
    {"TokenThatIsNotUtf8",
     [](GgufWriter& w) {
       w.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "\xFF"});
     },
     {"tokenizer.ggml.tokens", "index 1"}},
    {"TooFewTokenTypes",
     [](GgufWriter& w) {
       w.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 1});
     },
     {"token_type", "length 2", "274"}},
    {"UnknownTokenType",
     [](GgufWriter& w) { w.set("tokenizer.ggml.token_type", std::vector<std::int32_t>(274, 9)); },
     {"token_type", "9 for token 0"}},
    {"MergeOfOnePart",
     [](GgufWriter& w) { w.set("tokenizer.ggml.merges", std::vector<std::string>{"ab"}); },
     {"merges", "'ab'"}},
    {"EndTokenOutsideTheVocabulary",
     [](GgufWriter& w) { w.set("tokenizer.ggml.eos_token_id", 274u); },
     {"eos_token_id", "274"}},
    {"FirstTokenThatIsNone",
     [](GgufWriter& w) {
       w.set("tokenizer.ggml.add_bos_token", true);
       w.erase("tokenizer.ggml.bos_token_id");
     },
     {"bos_token_id", "missing"}},
    {"TemplateThatIsNotUtf8",
     [](GgufWriter& w) { w.set("tokenizer.chat_template", "\xFF"); },
     {"tokenizer.chat_template", "UTF-8"}},
};
INSTANTIATE_TEST_SUITE_P(Inconsistent, RefusesModel, testing::ValuesIn(kInconsistent), name_of);

class Accepts : public testing::TestWithParam<Change> {};

TEST_P(Accepts, AndReadsTheSame) {
  GgufWriter writer = tiny();
  GetParam().change(writer);
  const auto bytes = writer.bytes();
  const Model model = parse_model(bytes, "x.gguf");
  EXPECT_EQ(model.config.kv_heads, 2);
  EXPECT_EQ(model.config.head_width, 16);
  EXPECT_EQ(model.config.rope_base, 10000);
  EXPECT_EQ(model.config.vocab, 274);
}

const Change kHarmless[] = {
    {"HeadsGivenByLayer",
     [](GgufWriter& w) {
       w.set("llama.attention.head_count_kv", std::vector<std::int32_t>{2, 2});
     },
     {}},
    {"NoVocabularySize", [](GgufWriter& w) { w.erase("llama.vocab_size"); }, {}},
    {"HeadWidthFromTheWidth", [](GgufWriter& w) { w.erase("llama.attention.key_length"); }, {}},
    {"DefaultRopeBase", [](GgufWriter& w) { w.erase("llama.rope.freq_base"); }, {}},
    {"RopeScalingOfNone", [](GgufWriter& w) { w.set("llama.rope.scaling.type", "none"); }, {}},
    {"NoExperts",
     [](GgufWriter& w) {
       w.set("llama.expert_count", 0u);
       w.set("llama.expert_used_count", 0u);
     },
     {}},
    {"KeysWithoutEffect",
     [](GgufWriter& w) {
       w.set("llama.tensor_data_layout", "Meta AI original pth");
       w.set("llama.rope.scaling.finetuned", false);
       w.set("llama.rope.scaling.yarn_beta_fast", 32.0f);
       w.set("llama.attention.causal", true);
       w.set("llama.logit_scale", 1.0f);
       w.set("llama.use_parallel_residual", false);
       w.set("tokenizer.ggml.add_sep_token", false);
     },
     {}},
    {"AnotherNameOfAPreTokenizer",
     [](GgufWriter& w) { w.set("tokenizer.ggml.pre", "deepseek-r1-qwen"); },
     {}},
    {"ForeignKeys", [](GgufWriter& w) { w.set("someone.note", "hello"); }, {}},
    {"OneSplit", [](GgufWriter& w) { w.set("split.count", 1u); }, {}},
};
INSTANTIATE_TEST_SUITE_P(, Accepts, testing::ValuesIn(kHarmless), name_of);

TEST(LoadGguf, ReadsWindows) {
  GgufWriter writer = tiny();
  const auto windows = [&] {
    const auto bytes = writer.bytes();
    return parse_model(bytes, "x").config.windows;
  };
  writer.set("llama.attention.sliding_window", 64u);
  EXPECT_EQ(windows(), (std::vector<int>{64, 64}));
  writer.set("llama.attention.sliding_window_pattern", std::vector<bool>{false, true});
  EXPECT_EQ(windows(), (std::vector<int>{0, 64}));
  writer.set("llama.attention.sliding_window", 0u);  // what converters write for none
  EXPECT_EQ(windows(), std::vector<int>{});
}

TEST(LoadGguf, KnowsWhatThePreTokenizerStandsFor) {
  GgufWriter writer = tiny();
  const auto spec_with = [&](const char* pre) {
    writer.set("tokenizer.ggml.pre", pre);
    const auto bytes = writer.bytes();
    return parse_model(bytes, "x").tokenizer;
  };
  EXPECT_TRUE(spec_with("llama3").ignore_merges);
  EXPECT_FALSE(spec_with("olmo").ignore_merges);
  EXPECT_EQ(spec_with("deepseek-r1-qwen").normaliser.size(), 1u);
  EXPECT_EQ(spec_with("mpt").normaliser.size(), 0u);
}

TEST(LoadGguf, NamesWhatIsWrongWithAPhi3File) {
  const auto refused = [](const std::function<void(GgufWriter&)>& change, const char* part) {
    GgufWriter writer = test::tiny_llama_writer({.fused = true}, 3, WeightType::kF32);
    change(writer);
    const auto bytes = writer.bytes();
    expect_input_error([&] { parse_model(bytes, "x.gguf"); }, "x.gguf", part);
  };
  refused(
      [](GgufWriter& w) {
        w.tensor("blk.1.attn_qkv.weight").shape = {128, 64};
      },
      "'blk.1.attn_qkv.weight' has shape [64, 128] (expected [128, 64])");
  refused([](GgufWriter& w) { w.erase_tensor("blk.0.ffn_up.weight"); },
          "'blk.0.ffn_up.weight' is missing");
  refused([](GgufWriter& w) { w.set("phi3.rope.dimension_count", 7u); }, "an even number");
  const auto add_factors = [](GgufWriter& w, std::uint64_t count) {
    w.add_tensor({"rope_factors_short.weight", {count}, 0, std::vector<std::byte>(4 * count)});
  };
  refused([&](GgufWriter& w) { add_factors(w, 9); },
          "'rope_factors_short.weight' has shape [1, 9] (expected [1, 8])");
  refused([&](GgufWriter& w) { add_factors(w, 8); }, "holds 0 (expected numbers from 0.001");
}

TEST(LoadGguf, HasEveryEndTokenOnce) {
  GgufWriter writer = tiny();
  writer.set("tokenizer.ggml.eot_token_id", 2u);
  writer.set("tokenizer.ggml.eom_token_id", 0u);
  const auto bytes = writer.bytes();
  EXPECT_EQ(parse_model(bytes, "x").tokenizer.end_tokens, (std::vector<Token>{2, 0}));
}

TEST(LoadGguf, ReordersNeighbouringRowsOfQAndKIntoHalves) {
  const auto bytes = tiny().bytes();
  const Model model = parse_model(bytes, "x");
  // Heads of width 16: row 0 and row 8 are a pair, stored as rows 0 and 1; those of head 1 follow.
  for (const Weight* weight : {&model.layers[0].q, &model.layers[1].k}) {
    EXPECT_EQ(weight->row(0), weight->bytes.data());
    EXPECT_EQ(weight->row(8), weight->bytes.data() + weight->row_bytes());
    EXPECT_EQ(weight->row(1), weight->bytes.data() + 2 * weight->row_bytes());
    EXPECT_EQ(weight->row(16 + 9), weight->bytes.data() + (16 + 3) * weight->row_bytes());
  }
  EXPECT_TRUE(model.layers[0].v.row_order.empty());
}

}  // namespace
}  // namespace outrider::model
