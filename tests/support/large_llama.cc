#include "tests/support/large_llama.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/source_path.h"

namespace outrider::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kWidth = 1024, kHeads = 16, kKeyHeads = 4, kHeadWidth = 64, kFeedForward = 4096;

/// The header of a safetensors file whose tensors follow each other.
class Header {
 public:
  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t bytes = 2;
    for (const std::int64_t one : shape) bytes *= one;
    tensors_[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {end_, end_ + bytes}}};
    end_ += bytes;
  }
  std::string text() const { return tensors_.dump(); }
  std::int64_t end() const { return end_; }

 private:
  Json tensors_;
  std::int64_t end_ = 0;
};

Header header_of(int vocab, int layers) {
  Header header;
  header.add("model.embed_tokens.weight", {vocab, kWidth});
  header.add("model.norm.weight", {kWidth});
  for (int layer = 0; layer < layers; ++layer) {
    const auto add = [&](const char* name, const std::vector<std::int64_t>& shape) {
      header.add(fmt::format("model.layers.{}.{}.weight", layer, name), shape);
    };
    add("input_layernorm", {kWidth});
    add("post_attention_layernorm", {kWidth});
    add("self_attn.q_proj", {kHeads * kHeadWidth, kWidth});
    add("self_attn.k_proj", {kKeyHeads * kHeadWidth, kWidth});
    add("self_attn.v_proj", {kKeyHeads * kHeadWidth, kWidth});
    add("self_attn.o_proj", {kWidth, kHeads * kHeadWidth});
    add("mlp.gate_proj", {kFeedForward, kWidth});
    add("mlp.up_proj", {kFeedForward, kWidth});
    add("mlp.down_proj", {kWidth, kFeedForward});
  }
  return header;
}

}  // namespace

std::int64_t write_large_llama(const fs::path& folder, int layers) {
  fs::copy(source_path("tests/golden/hf/llama_tied"), folder);
  Json config = Json::parse(std::ifstream(folder / "config.json"));
  config.update({{"hidden_size", kWidth},
                 {"intermediate_size", kFeedForward},
                 {"num_attention_heads", kHeads},
                 {"num_key_value_heads", kKeyHeads},
                 {"head_dim", kHeadWidth},
                 {"num_hidden_layers", layers},
                 {"dtype", "bfloat16"}});
  std::ofstream(folder / "config.json") << config.dump();
  const Header header = header_of(config["vocab_size"].get<int>(), layers);
  const std::string text = header.text();
  const std::uint64_t length = text.size();
  const fs::path weights = folder / "model.safetensors";
  std::ofstream(weights, std::ios::binary)
      .write(reinterpret_cast<const char*>(&length), sizeof length)
      .write(text.data(), static_cast<std::streamsize>(length));
  const auto bytes = static_cast<std::uint64_t>(header.end());
  fs::resize_file(weights, sizeof length + length + bytes);  // what is not written is 0
  return header.end();
}

}  // namespace outrider::test
