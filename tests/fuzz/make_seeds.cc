// Writes the seed corpora of the fuzz targets: make_fuzz_seeds tests/fuzz/corpus
// Seeds named valid_* must be accepted; seeds_test.cc sees to it.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/tiny_llama.h"

namespace {

using outrider::model::WeightType;
using outrider::test::GgufWriter;

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

/// A model of one layer and six tokens, some 6 kB: small files are fuzzed faster.
GgufWriter small_model(WeightType type, bool tied) {
  GgufWriter file = outrider::test::tiny_llama_writer({.layers = 1,
                                                       .width = 32,
                                                       .heads = 2,
                                                       .kv_heads = 1,
                                                       .head_width = 16,
                                                       .ffn_width = 32,
                                                       .context = 64,
                                                       .tied = tied},
                                                      5, type);
  file.set("tokenizer.ggml.tokens",
           std::vector<std::string>{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "ab"});
  file.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 3, 1, 1, 1});
  file.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  file.set("tokenizer.chat_template", "{{ messages }}");
  file.set("llama.vocab_size", static_cast<std::uint32_t>(kTokens));
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    if (tied && name == std::string_view("output.weight")) continue;
    GgufWriter::Tensor& tensor = file.tensor(name);
    tensor.data.resize(tensor.data.size() / tensor.shape[1] * kTokens);
    tensor.shape[1] = kTokens;
  }
  return file;
}

void write_gguf_seeds(const std::filesystem::path& folder) {
  for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16,
                                WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ8_0}) {
    std::string name = outrider::model::type_name(type);
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    });
    write(folder / ("valid_" + name), small_model(type, type != WeightType::kQ8_0));
  }
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
  foreign.tensor("output_norm.weight").type = 12;
  write(folder / "foreign", foreign);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  write_gguf_seeds(folder / "gguf");
}
