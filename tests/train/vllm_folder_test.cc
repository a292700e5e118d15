#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/expect_input_error.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/write_vllm_folder.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
namespace {

using nlohmann::json;
using test::SmallTarget;

constexpr Token kMask = 7;

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files of a folder, and what vLLM computes of them.
class VllmDrafter {
 public:
  VllmDrafter(const std::filesystem::path& folder, const at::Tensor& embedding)
      : config_(json::parse(read_whole(folder / "config.json"))),
        bytes_(read_whole(folder / "model.safetensors")),
        embedding_(embedding) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), sizeof length);
    header_ = json::parse(bytes_.substr(sizeof length, length));
    data_ = sizeof length + length;
  }

  const json& config() const { return config_; }
  const json& header() const { return header_; }

  at::Tensor tensor(const std::string& name) const {
    const json& entry = header_.at(name);
    const std::map<std::string, at::ScalarType> types = {
        {"BF16", at::kBFloat16}, {"I64", at::kLong}, {"BOOL", at::kBool}};
    at::Tensor values =
        at::empty(entry.at("shape").get<std::vector<std::int64_t>>(), types.at(entry.at("dtype")));
    const auto begin = entry.at("data_offsets")[0].get<std::size_t>();
    std::memcpy(values.mutable_data_ptr(), bytes_.data() + data_ + begin, values.nbytes());
    return values;
  }

  /// The logits of the slots of one request: the real row of its last token, then masks.
  /// @param tokens  [n] x_1 … x_n
  /// @param states  [n, 3 * width] a_0 … a_{n-1}
  at::Tensor logits(const std::vector<Token>& tokens, const at::Tensor& states) const {
    const json& shape = config_.at("transformer_layer_config");
    const int masks =
        config_["speculators_config"]["proposal_methods"][0]["speculative_tokens"].get<int>() - 1;
    std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
    ids.insert(ids.end(), static_cast<std::size_t>(masks),
               config_.at("mask_token_id").get<std::int64_t>());
    const at::Tensor mask = weight("mask_hidden").view({1, -1}).expand({masks, -1});
    const at::Tensor hidden = at::linear(at::cat({states, mask}), weight("fc.weight"));
    const at::Tensor embedded = embedding_.index_select(0, at::tensor(ids, at::kLong));
    const at::Tensor inputs = at::cat(
        {norm(embedded, "layers.0.input_layernorm"), norm(hidden, "layers.0.hidden_norm")}, 1);

    const auto rows = static_cast<std::int64_t>(ids.size());
    const int width = shape.at("head_dim"), heads = shape.at("num_attention_heads"),
              kv_heads = shape.at("num_key_value_heads");
    const auto projected = [&](const char* name, int count) {
      return at::linear(inputs, weight(std::string("layers.0.self_attn.") + name + ".weight"))
          .view({rows, count, width})
          .transpose(0, 1);
    };
    const at::Tensor q = rotated(projected("q_proj", heads));
    const at::Tensor k =
        rotated(projected("k_proj", kv_heads)).repeat_interleave(heads / kv_heads, 0);
    const at::Tensor v = projected("v_proj", kv_heads).repeat_interleave(heads / kv_heads, 0);
    const at::Tensor hidden_keys = at::ones({rows, rows}, at::kBool).tril().logical_not();
    const at::Tensor shares = (at::matmul(q, k.transpose(1, 2)) / std::sqrt(width))
                                  .masked_fill(hidden_keys, -INFINITY)
                                  .softmax(-1);
    const at::Tensor attended = at::matmul(shares, v).transpose(0, 1).reshape({rows, -1});
    const at::Tensor x = hidden + at::linear(attended, weight("layers.0.self_attn.o_proj.weight"));
    const at::Tensor n = norm(x, "layers.0.post_attention_layernorm");
    const auto mlp = [&](const at::Tensor& of, const char* name) {
      return at::linear(of, weight(std::string("layers.0.mlp.") + name + ".weight"));
    };
    const at::Tensor out = x + mlp(at::silu(mlp(n, "gate_proj")) * mlp(n, "up_proj"), "down_proj");
    return at::linear(norm(out, "norm"), weight("lm_head.weight"))
        .narrow(0, rows - masks - 1, masks + 1);
  }

 private:
  at::Tensor weight(const std::string& name) const { return tensor(name).to(at::kDouble); }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const double epsilon = config_["transformer_layer_config"]["rms_norm_eps"];
    return weight(name + ".weight") * x * ((x * x).mean(-1, true) + epsilon).rsqrt();
  }

  /// At positions that begin anywhere. @param x  [heads, rows, width]
  at::Tensor rotated(const at::Tensor& x) const {
    const double theta = config_["transformer_layer_config"]["rope_parameters"]["rope_theta"];
    const std::int64_t width = x.size(2);
    const at::Tensor inverse = at::pow(theta, -at::arange(0, width, 2, at::kDouble) / width);
    const at::Tensor angles =
        at::outer(at::arange(11, 11 + x.size(1), at::kDouble), inverse).repeat({1, 2});
    const auto halves = x.chunk(2, -1);
    return x * angles.cos() + at::cat({-halves[1], halves[0]}, -1) * angles.sin();
  }

  json config_, header_;
  std::string bytes_;
  std::size_t data_ = 0;
  at::Tensor embedding_;
};

class VllmFolder : public testing::Test {
 protected:
  ParallelSpecObjective objective(std::vector<Token> head_tokens) const {
    ParallelSpecObjective made(
        target_.model, std::move(head_tokens),
        {.shape = {.masks = 3, .exported = ExportShape{.layers = {1, 2, 3}, .mask_token = kMask}},
         .groups = 0},
        at::kDouble);
    test::perturb_all(made, 3);
    const at::NoGradGuard no_gradients;
    for (const Parameter& parameter : made.parameters())
      parameter.value.copy_(parameter.value.to(at::kBFloat16));
    return made;
  }

  VllmDrafter written(const ParallelSpecObjective& objective) const {
    write_vllm_folder(*objective.export_drafter(), target_.model, folder());
    return {folder(), load_matrix(target_.model.embedding, at::kDouble)};
  }

  std::filesystem::path folder() const { return target_.folder.path() / "drafter"; }

  SmallTarget target_{4};
  int vocab_ = target_.model.config.vocab;
};

TEST_F(VllmFolder, HoldsTheDrafterThatWasTrained) {
  ParallelSpecObjective trained = objective(test::two_of_three(vocab_));
  const VllmDrafter served = written(trained);
  const std::vector<data::Trace> traces = {test::trace_with_states(6, 12, vocab_, 0, 1, {1, 2, 3})};
  std::vector<Token> text = traces[0].prompt_tokens;
  text.insert(text.end(), traces[0].output_tokens.begin(), traces[0].output_tokens.end());
  const GroupBatch batch = trained.batch(traces);
  const at::Tensor logits =
      at::matmul(trained.drafter().outputs(batch, Precision::kF32), trained.drafter().head().t());
  for (std::size_t group = 0; group < batch.groups.size(); ++group) {
    const auto committed = static_cast<std::ptrdiff_t>(6 + batch.groups[group].second);
    const at::Tensor states = batch.states.narrow(0, 0, committed - 1).to(at::kDouble);
    const at::Tensor found = served.logits({text.begin() + 1, text.begin() + committed}, states);
    const at::Tensor expected = logits[static_cast<std::int64_t>(group)];
    ASSERT_EQ(found.sizes(), expected.sizes());
    EXPECT_LT((found - expected).abs().max().item<double>(),
              1e-4 * expected.abs().max().item<double>())
        << group;
  }
}

TEST_F(VllmFolder, HasTheHeadsTokensAsOffsets) {
  const std::vector<Token> tokens = test::two_of_three(vocab_);
  const VllmDrafter served = written(objective(tokens));
  const at::Tensor offsets = served.tensor("d2t"), has_row = served.tensor("t2d");
  ASSERT_EQ(offsets.numel(), std::ssize(tokens));
  ASSERT_EQ(has_row.numel(), vocab_);
  for (std::int64_t row = 0; row < offsets.numel(); ++row)
    EXPECT_EQ(row + offsets[row].item<std::int64_t>(), tokens[static_cast<std::size_t>(row)]);
  for (Token token = 0; token < vocab_; ++token)
    EXPECT_EQ(has_row[token].item<bool>(), token % 3 != 1) << token;

  std::vector<Token> all(static_cast<std::size_t>(vocab_));
  std::iota(all.begin(), all.end(), 0);
  const VllmDrafter whole = written(objective(all));
  EXPECT_FALSE(whole.header().contains("d2t"));
  EXPECT_FALSE(whole.header().contains("t2d"));
  EXPECT_EQ(whole.config()["draft_vocab_size"], vocab_);
}

TEST_F(VllmFolder, SaysEverythingInItsConfig) {
  const VllmDrafter served = written(objective(test::two_of_three(vocab_)));
  json config = served.config();
  EXPECT_EQ(config["speculators_config"]["verifier"]["name_or_path"], target_.model.path.string());
  EXPECT_EQ(config["speculators_config"]["verifier"]["architectures"], json({"LlamaForCausalLM"}));
  EXPECT_EQ(config["speculators_config"]["algorithm"], "peagle");
  const json layer = config["transformer_layer_config"];
  EXPECT_EQ(layer["head_dim"], 32);
  EXPECT_EQ(layer["num_attention_heads"], 4);
  EXPECT_EQ(layer["num_key_value_heads"], 2);
  EXPECT_EQ(layer["hidden_size"], 64);
  EXPECT_EQ(layer["intermediate_size"], 96);
  EXPECT_EQ(layer["num_hidden_layers"], 1);
  EXPECT_EQ(layer["vocab_size"], vocab_);
  config.erase("speculators_config");
  config.erase("transformer_layer_config");
  EXPECT_EQ(config, json({{"architectures", json::array({"PEagleSpeculator"})},
                          {"speculators_model_type", "peagle"},
                          {"speculators_version", "0.7.0"},
                          {"draft_vocab_size", test::two_of_three(vocab_).size()},
                          {"mask_token_id", kMask},
                          {"eagle_aux_hidden_state_layer_ids", {1, 2, 3}},
                          {"norm_before_residual", false},
                          {"norm_before_fc", false},
                          {"fc_norm", false},
                          {"norm_output", false},
                          {"target_hidden_size", nullptr},
                          {"embed_requires_grad", false},
                          {"tie_word_embeddings", false},
                          {"torch_dtype", "bfloat16"}}));
  EXPECT_EQ(served.header()["mask_hidden"]["shape"], json({1, 1, 3 * 64}));
  EXPECT_EQ(served.header()["layers.0.self_attn.k_proj.weight"]["shape"], json({2 * 32, 2 * 64}));
}

TEST_F(VllmFolder, ReplacesNoOtherModel) {
  std::filesystem::create_directory(folder());
  std::ofstream(folder() / "config.json") << "{}";
  const ParallelSpecObjective trained = objective({1, 2, 5});
  test::expect_input_error([&] { written(trained); },
                           "expected a new or an empty folder, found one with another model");
  EXPECT_EQ(read_whole(folder() / "config.json"), "{}");
}

}  // namespace
}  // namespace outrider::train
