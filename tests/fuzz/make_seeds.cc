// Writes the seed corpora of the fuzz targets: make_fuzz_seeds tests/fuzz/corpus
// Seeds named valid_* must be accepted; seeds_test.cc checks it.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "data/store/group_format.h"
#include "data/store/manifest.h"
#include "runtime/model/gguf/gguf_tensor.h"
#include "tests/fuzz/artifact_seeds.h"
#include "tests/fuzz/checkpoint_seeds.h"
#include "tests/fuzz/shard_seeds.h"
#include "tests/support/piece_gguf.h"
#include "tests/support/tiny_llama.h"
#include "tests/tokenizer/small_pieces.h"

namespace {

using outrider::model::WeightType;
using outrider::test::GgufWriter;
using outrider::test::TinyShape;

constexpr int kTokens = 6;

void write(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

void write(const std::filesystem::path& path, const GgufWriter& writer) {
  const auto bytes = writer.bytes();
  write(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// One layer, some 6 kB: small files are fuzzed faster.
constexpr TinyShape small_shape(bool tied, bool fused = false) {
  return {.layers = 1,
          .width = 32,
          .heads = 2,
          .kv_heads = 1,
          .head_width = 16,
          .ffn_width = 32,
          .context = 64,
          .tied = tied,
          .fused = fused};
}

/// Leaves a matrix that has a row for each token so many.
void cut_vocabulary(GgufWriter::Tensor& tensor, std::size_t tokens) {
  tensor.data.resize(tensor.data.size() / tensor.shape[1] * tokens);
  tensor.shape[1] = tokens;
}

/// A model of six tokens.
GgufWriter small_model(const TinyShape& shape, WeightType type) {
  GgufWriter file = outrider::test::tiny_llama_writer(shape, 5, type);
  file.set("tokenizer.ggml.tokens",
           std::vector<std::string>{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "ab"});
  file.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 3, 1, 1, 1});
  file.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  file.set("tokenizer.chat_template", "{{ messages }}");
  file.set(shape.fused ? "phi3.vocab_size" : "llama.vocab_size",
           static_cast<std::uint32_t>(kTokens));
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    if (shape.tied && name == std::string_view("output.weight")) continue;
    cut_vocabulary(file.tensor(name), kTokens);
  }
  return file;
}

/// The same with SentencePiece's tokenizer: a score for every piece, a token for every byte.
GgufWriter small_pieces_model() {
  const auto spec = outrider::test::small_pieces({{"\u2581", -9}, {"a", -8}, {"\u2581a", -1}});
  GgufWriter file = outrider::test::tiny_llama_writer(small_shape(true), 5, WeightType::kQ4_0);
  file.erase("tokenizer.ggml.merges");
  file.erase("tokenizer.ggml.add_bos_token");
  outrider::test::set_pieces(file, spec);
  file.set("llama.vocab_size", static_cast<std::uint32_t>(spec.tokens.size()));
  cut_vocabulary(file.tensor("token_embd.weight"), spec.tokens.size());
  return file;
}

GgufWriter small_model(WeightType type, bool tied) { return small_model(small_shape(tied), type); }

/// Rows of 256 numbers, which the K types need, and as few of them as can be.
GgufWriter small_k_quants() {
  GgufWriter file = small_model({.layers = 1,
                                 .width = 256,
                                 .heads = 1,
                                 .kv_heads = 1,
                                 .head_width = 2,
                                 .ffn_width = 2,
                                 .context = 64,
                                 .tied = true},
                                WeightType::kF32);
  const std::pair<const char*, WeightType> types[] = {
      {"token_embd.weight", WeightType::kQ6_K},     {"blk.0.attn_q.weight", WeightType::kQ4_K},
      {"blk.0.attn_k.weight", WeightType::kQ5_K},   {"blk.0.attn_v.weight", WeightType::kQ4_K},
      {"blk.0.ffn_gate.weight", WeightType::kQ5_K}, {"blk.0.ffn_up.weight", WeightType::kQ6_K}};
  for (const auto& [name, type] : types) {
    GgufWriter::Tensor& tensor = file.tensor(name);
    tensor.type = outrider::model::gguf_type_number(type);
    // One block a row; any bytes are a block.
    tensor.data.resize(tensor.shape[1] *
                       static_cast<std::size_t>(outrider::model::block_shape(type).bytes));
  }
  return file;
}

/// Fused tensors, windows and LongRoPE.
GgufWriter small_phi3() {
  GgufWriter file = small_model(small_shape(true, true), WeightType::kQ4_0);
  file.set("phi3.attention.sliding_window", 16u);
  file.set("phi3.attention.sliding_window_pattern", std::vector<bool>{true});
  file.set("phi3.rope.dimension_count", 8u);
  file.set("phi3.rope.scaling.attn_factor", 1.25f);
  file.set("phi3.rope.scaling.original_context_length", 32u);
  const float ones[] = {1, 1, 1, 1};
  const auto bytes = std::as_bytes(std::span(ones));
  for (const char* name : {"rope_factors_long.weight", "rope_factors_short.weight"})
    file.add_tensor({name, {4}, 0, {bytes.begin(), bytes.end()}});
  return file;
}

/// A bloom, or a starcoder: biases, fused Q, K and V of one KV head, a norm of the embedding or a table
/// of positions.
GgufWriter small_older(const std::string& architecture) {
  GgufWriter file;
  file.set("general.architecture", architecture);
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::uint32_t>>{{"block_count", 1},
                                                                    {"context_length", 4},
                                                                    {"embedding_length", 32},
                                                                    {"feed_forward_length", 32},
                                                                    {"attention.head_count", 2},
                                                                    {"attention.head_count_kv", 1},
                                                                    {"vocab_size", 3}})
    file.set(architecture + "." + key, value);
  file.set(architecture + ".attention.layer_norm_epsilon", 1e-5f);
  file.set("tokenizer.ggml.model", "gpt2");
  file.set("tokenizer.ggml.pre", architecture);
  file.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "ab"});
  file.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 1, 1});
  file.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  const auto zeros = [&](const std::string& name, const std::vector<std::uint64_t>& shape) {
    const std::uint64_t count = shape[0] * (shape.size() > 1 ? shape[1] : 1);
    file.add_tensor({name, shape, 0, std::vector<std::byte>(count * 4)});
  };
  const auto norm = [&](const std::string& name) {
    zeros(name + ".weight", {32});
    zeros(name + ".bias", {32});
  };
  const auto projection = [&](const std::string& name, std::uint64_t rows) {
    zeros(name + ".weight", {32, rows});
    zeros(name + ".bias", {rows});
  };
  zeros("token_embd.weight", {32, 3});
  if (architecture == "bloom") {
    norm("token_embd_norm");
  } else {
    zeros("position_embd.weight", {32, 4});
  }
  norm("output_norm");
  norm("blk.0.attn_norm");
  projection("blk.0.attn_qkv", 64);
  projection("blk.0.attn_output", 32);
  norm("blk.0.ffn_norm");
  projection("blk.0.ffn_up", 32);
  projection("blk.0.ffn_down", 32);
  return file;
}

void write_gguf_seeds(const std::filesystem::path& folder) {
  for (const WeightType type :
       {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kQ4_0, WeightType::kQ4_1,
        WeightType::kQ5_0, WeightType::kQ5_1, WeightType::kQ8_0}) {
    std::string name = outrider::model::type_name(type);
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    });
    write(folder / ("valid_" + name), small_model(type, type != WeightType::kQ8_0));
  }
  write(folder / "valid_k_quants", small_k_quants());
  write(folder / "valid_phi3", small_phi3());
  write(folder / "valid_bloom", small_older("bloom"));
  write(folder / "valid_starcoder", small_older("starcoder"));
  write(folder / "valid_pieces", small_pieces_model());
  GgufWriter unscored = small_pieces_model();
  unscored.erase("tokenizer.ggml.scores");
  write(folder / "pieces_without_scores", unscored);
  GgufWriter keys = small_model(WeightType::kQ4_0, true);
  keys.set("general.alignment", 32u);
  keys.set("general.quantization_version", 2u);
  keys.set("llama.attention.head_count_kv", std::vector<std::int32_t>{1});
  keys.set("llama.rope.scaling.type", "none");
  keys.set("tokenizer.ggml.eot_token_id", 0u);
  keys.set("tokenizer.ggml.add_bos_token", true);
  write(folder / "valid_more_keys", keys);

  GgufWriter claim;
  claim.set_raw("general.name", 8, std::vector<std::byte>(8, std::byte{0x7F}));
  write(folder / "huge_length", claim);
  GgufWriter foreign = small_model(WeightType::kQ4_1, true);
  foreign.set("general.architecture", "qwen2");
  foreign.tensor("output_norm.weight").type = 10;  // Q2_K
  write(folder / "foreign", foreign);
}

void write_prompt_seeds(const std::filesystem::path& folder) {
  write(folder / "valid_turns",
        "{\"id\": \"a\", \"task\": \"chat\", \"source\": \"ours\", \"turns\": [\"Hello.\", \"And "
        "then?\"], \"reference\": \"x\"}\n\n{\"turns\": [\"\\u00e9\\ud83d\\ude00\"]}\n");
  write(folder / "valid_nulls",
        "{\"turns\":[\"x\"],\"id\":null,\"reference\":null,\"more\":[1.5e3]}");
  write(folder / "no_turns", "{\"id\": \"a\", \"turns\": []}\n");
  write(folder / "deep", std::string(64, '[') + std::string(64, ']'));
  write(folder / "huge_number", "{\"turns\": [\"x\"], \"n\": 1e9999}");
  write(folder / "cut", "{\"turns\": [\"Hel");
}

/// The first byte selects the format: see read_conversations.h.
void write_conversation_seeds(const std::filesystem::path& folder) {
  write(
      folder / "valid_sharegpt",
      "0[{\"id\": \"a\", \"conversations\": [{\"from\": \"system\", \"value\": \"s\"}, {\"from\": "
      "\"human\", \"value\": \"Hello.\"}, {\"from\": \"gpt\", \"value\": \"Hi.\"}]}]");
  write(
      folder / "valid_openai",
      "1{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": "
      "\"Hello.\"}]}, {\"role\": \"assistant\", \"content\": \"Hi.\"}]}\n{\"body\": {\"messages\": "
      "[{\"role\": \"user\", \"content\": \"And?\"}]}}\n");
  write(folder / "valid_spec_bench",
        "2{\"question_id\": 81, \"category\": \"writing\", \"turns\": [\"a\", \"b\"], "
        "\"reference\": [\"x\", \"y\"]}\n");
  write(folder / "valid_text", "3Hello.\n");
  write(folder / "no_turns", "0[{\"conversations\": []}]");
  write(folder / "other_role", "1{\"messages\": [{\"role\": \"tool\", \"content\": \"a\"}]}");
  write(folder / "deep", "1" + std::string(64, '['));
  write(folder / "no_text", "3");
}

void write_manifest_seeds(const std::filesystem::path& folder) {
  outrider::data::Manifest manifest;
  manifest.identity = {"m", "01", "23", 300, 8, 4, {0, -1}, {{"max-new", "40"}, {"seed", "1"}}};
  manifest.plan = {7, 3, 1, 1};
  manifest.shards[0] = {10, "ab", "cd", 3, 30, 60, "2026-01-31T12:00:00Z", "v1"};
  const std::string older = outrider::data::manifest_text(manifest);
  write(folder / "valid_older", older);
  manifest.identity.logits_hash = "00ff";
  const std::string whole = outrider::data::manifest_text(manifest);
  write(folder / "valid_two", whole);
  outrider::data::Manifest group = manifest;
  group.identity = outrider::data::group_identity(
      manifest,
      {"draft-01",
       {{"top", outrider::data::RowsOf::kOutput, outrider::hdf5::NumberType::kFloat32, 5}},
       {{"draft", "0123"}}});
  write(folder / "valid_group", outrider::data::manifest_text(group));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  write(folder / "other_version", with("\"version\": 1", "\"version\": 9"));
  write(folder / "shard_outside", with("\"shard\": 0", "\"shard\": 3"));
  write(folder / "huge_plan",
        with("\"conversations\": 7", "\"conversations\": 9223372036854775807"));
  write(folder / "fraction", with("\"width\": 8", "\"width\": 8e300"));
  write(folder / "cut", whole.substr(0, whole.size() / 2));
}

/// The first byte of a text or of tokens holds the target's options.
void write_text_seeds(const std::filesystem::path& folder) {
  write(folder / "tokenizer" / "valid_words",
        "\x01Hello the inner  hell 12345, they'll and\r\n\tdon't!");
  write(folder / "tokenizer" / "valid_special",
        "\x01<|im_start|>user\nhe<|im_end|><|im_e <|endoftext|>");
  write(folder / "tokenizer" / "valid_plain_special", "\x02<|im_start|>user");
  write(folder / "tokenizer" / "valid_unicode",
        "\x01 e\u0301 \u00e9\u4e2d\u6587\u3000\u0664 \U0001F600\u200d");
  write(folder / "tokenizer" / "valid_pieces", "\x05 a ab<s>\u4e2d\u6587 \u2581a\n\u00e9");
  write(folder / "tokenizer" / "lone_bytes",
        "\x01"
        "a\xFF\xC0\xE2\x82");
  // Ids: a byte of the text is its value + 3; 0xFF begins an id of two bytes.
  write(folder / "detokenizer" / "valid_word", "\x01khoor#zruog");
  write(folder / "detokenizer" / "valid_stop", std::string("\x02k\xFF\x06oo\x0D\x0D", 7));
  write(folder / "detokenizer" / "valid_character", "\x01\xF3\xA2\x9B\x83\xC6\xAC");
  write(folder / "detokenizer" / "valid_special", std::string("\x01\x01\x02\x00", 4));
  write(folder / "detokenizer" / "no_such_token", "\x01\xFF\xFF");
}

void write_config_seeds(const std::filesystem::path& folder) {
  write(folder / "valid_all",
        "# every kind\n[demo]\ntext = \"a\\n\\u00e9\"\nsystem = ''\nstop = [\"x\", "
        "\"[a,b]\"]\ncount = "
        "7\nheat = 1.25\nquiet = true\n[other]\nanything = 1\n");
  write(folder / "valid_empty", "[demo]\n");
  write(folder / "unknown_key", "[demo]\ncont = 7\n");
  write(folder / "out_of_range", "[demo]\ncount = 0x7fffffffffffffff\nheat = nan\n");
  write(folder / "not_toml", "[demo\ntext = ");
}

/// A length of eight bytes, the header, and so many bytes of data.
std::string safetensors(const std::string& header, std::size_t data) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> shift & 0xFF);
  return bytes + header + std::string(data, '\x3C');
}

void write_safetensors_seeds(const std::filesystem::path& folder) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})";
  write(folder / "valid_two",
        safetensors("{" + a + R"(,"b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})", 32));
  write(folder / "valid_metadata",
        safetensors(R"({"__metadata__":{"format":"pt"},)" + a + "} ", 24));
  write(folder / "valid_none", safetensors("{}", 0));
  write(folder / "overlap",
        safetensors("{" + a + R"(,"b":{"dtype":"F16","shape":[4],"data_offsets":[16,24]}})", 24));
  write(folder / "huge_shape",
        safetensors(
            R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,16],"data_offsets":[0,0]}})", 0));
  write(folder / "huge_length", std::string(8, '\x7F') + "{}");
  write(folder / "twice", safetensors("{" + a + "," + a + "}", 24));
}

void write_hf_json_seeds(const std::filesystem::path& folder) {
  const auto tokenizer = [](const std::string& pre, const std::string& more,
                            const std::string& merges) {
    return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":4,"content":"<s>",)"
           R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
           R"("normalizer":null,"pre_tokenizer":)" +
           pre + R"(,"post_processor":)" + more +
           R"(,"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","dropout":null,"unk_token":null,)"
           R"("ignore_merges":true,"vocab":{"a":0,"b":1,"ab":2,"\u0120":3},"merges":)" +
           merges + "}}";
  };
  const std::string pieces =
      R"({"version":"1.0","added_tokens":[{"id":6,"content":"<s>","single_word":false,"lstrip":true,)"
      R"("rstrip":true,"normalized":false,"special":true},{"id":7,"content":"day","single_word":true,)"
      R"("lstrip":false,"rstrip":false,"normalized":true,"special":false}],"normalizer":{"type":"Sequence",)"
      R"("normalizers":[{"type":"Prepend","prepend":"\u2581"},{"type":"Replace","pattern":{"String":" "},)"
      R"("content":"\u2581"}]},"pre_tokenizer":null,"post_processor":null,"decoder":{"type":"Sequence",)"
      R"("decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},)"
      R"({"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"BPE",)"
      R"("unk_token":"<unk>","fuse_unk":true,"byte_fallback":true,"vocab":{"<unk>":0,"<0x61>":1,"\u2581":2,)"
      R"("a":3,"b":4,"\u2581a":5},"merges":["\u2581 a"]}})";
  std::string unknown = pieces;
  unknown.replace(unknown.find("<unk>\","), 5, "<no>");
  std::string metaspace = pieces;
  const std::size_t decoder = metaspace.find(R"({"type":"Sequence","decoders")");
  metaspace.replace(decoder, metaspace.find(R"(,"model")") - decoder,
                    R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first"})");
  const std::string byte_level =
      R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true})";
  const std::string digits =
      R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},)" +
      byte_level + "]}";
  const std::string start =
      R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},)"
      R"({"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}})";
  write(folder / "valid_pairs", tokenizer(byte_level, "null", R"([["a","b"]])"));
  write(folder / "valid_lines", tokenizer(digits, byte_level, R"(["a b"])"));
  write(folder / "valid_start", tokenizer(digits, start, "[]"));
  write(folder / "valid_pieces", pieces);
  write(folder / "valid_metaspace", metaspace);
  write(folder / "bad_unknown", unknown);
  write(folder / "bad_merge", tokenizer(digits, "null", R"([["a"]])"));
  write(folder / "bad_pre", tokenizer(R"({"type":"Metaspace"})", "null", "[]"));
  write(folder / "config",
        R"({"model_type":"llama","hidden_size":64,"intermediate_size":96,"num_hidden_layers":2,)"
        R"("num_attention_heads":2,"num_key_value_heads":1,"max_position_embeddings":512,)"
        R"("rms_norm_eps":1e-06,"rope_parameters":{"rope_theta":50000.0,"rope_type":"default"},)"
        R"("tie_word_embeddings":true,"vocab_size":384,"eos_token_id":[1,2]})");
  write(
      folder / "config_windows",
      R"({"model_type":"phi3","hidden_size":32,"intermediate_size":96,"num_hidden_layers":2,)"
      R"("num_attention_heads":2,"max_position_embeddings":512,"rms_norm_eps":1e-06,)"
      R"("original_max_position_embeddings":64,"partial_rotary_factor":0.5,"rope_scaling":)"
      R"({"type":"longrope","short_factor":[1,1.5,2,3],"long_factor":[1,2,3,4]},"vocab_size":384,)"
      R"("sliding_window":16,"layer_types":["sliding_attention","sliding_attention"]})");
  write(folder / "config_opt",
        R"({"model_type":"opt","hidden_size":64,"ffn_dim":96,"num_hidden_layers":2,)"
        R"("num_attention_heads":2,"max_position_embeddings":160,"do_layer_norm_before":true,)"
        R"("word_embed_proj_dim":64,"activation_function":"relu","vocab_size":384})");
  write(folder / "config_bloom",
        R"({"model_type":"bloom","n_embed":64,"n_layer":2,"num_attention_heads":2,)"
        R"("layer_norm_epsilon":1e-05,"seq_length":2048,"vocab_size":384})");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  write_config_seeds(folder / "config");
  write_conversation_seeds(folder / "conversations");
  write_gguf_seeds(folder / "gguf");
  write_hf_json_seeds(folder / "hf_json");
  write_manifest_seeds(folder / "manifest");
  write_prompt_seeds(folder / "prompts");
  write_safetensors_seeds(folder / "safetensors");
  write_text_seeds(folder);
  for (const auto& [name, seed] : outrider::fuzz::artifact_seeds())
    write(folder / "artifact" / name, seed);
  for (const auto& [name, seed] : outrider::fuzz::checkpoint_seeds())
    write(folder / "checkpoint" / name, seed);
  for (const auto& [name, seed] : outrider::fuzz::shard_seeds())
    write(folder / "shard" / name, seed);
}
