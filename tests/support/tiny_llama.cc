#include "tests/support/tiny_llama.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

#include "runtime/base/half.h"
#include "runtime/model/gguf/gguf_tensor.h"

namespace outrider::test {
namespace {

using Bytes = std::vector<std::byte>;
using model::WeightType;

/// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// In (-1, 1), exact in a float.
  float symmetric() {
    return static_cast<float>(static_cast<int>(bits() >> 40) - (1 << 23)) * 0x1p-23f;
  }

 private:
  std::uint64_t state_;
};

template <typename T>
void append(Bytes& out, T number) {
  const std::size_t before = out.size();
  out.resize(before + sizeof number);
  std::memcpy(out.data() + before, &number, sizeof number);
}

/// A float rounded towards zero to half precision; for zero and normal halves only.
std::uint16_t half_of(float value) {
  if (value == 0) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = ((bits >> 23) & 0xFF) - 112;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3FF));
}

/// `count` numbers between -range and range.
Bytes random_numbers(WeightType type, std::int64_t count, float range, Random& random) {
  Bytes out;
  const model::BlockShape block = model::block_shape(type);
  for (std::int64_t i = 0; i < count; i += block.numbers) {
    const float number = range * random.symmetric();
    Half tail{};
    switch (type) {
      case WeightType::kF32:
        append(out, number);
        continue;
      case WeightType::kF16:
        append(out, std::abs(number) < 0x1p-14f ? std::uint16_t{0} : half_of(number));
        continue;
      case WeightType::kBF16:
        append(out, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16));
        continue;
      case WeightType::kQ4_0:
        append(out, half_of(range / 8));
        break;
      case WeightType::kQ4_1:
        append(out, half_of(range / 8));
        append(out, half_of(-range * 15 / 16));
        break;
      case WeightType::kQ5_0:
        append(out, half_of(range / 16));
        break;
      case WeightType::kQ5_1:
        append(out, half_of(range / 16));
        append(out, half_of(-range * 31 / 32));
        break;
      case WeightType::kQ8_0:
        append(out, half_of(range / 128));
        break;
      case WeightType::kQ4_K:
        append(out, float_to_half(range / 8 / 63));
        append(out, float_to_half(range / 63));
        break;
      case WeightType::kQ5_K:
        append(out, float_to_half(range / 16 / 63));
        append(out, float_to_half(range / 63));
        break;
      case WeightType::kQ6_K:  // the scale comes last
        tail = float_to_half(range / 32 / 127);
        break;
      case WeightType::kQ2_K:  // scale and minimum come last
        tail = float_to_half(range / 15);
        break;
      case WeightType::kQ3_K:  // the scale comes last
        tail = float_to_half(range / 4 / 32);
        break;
      case WeightType::kIQ4_NL:
        append(out, float_to_half(range / 127));
        break;
      case WeightType::kIQ4_XS:
        append(out, float_to_half(range / 127 / 32));
        break;
      case WeightType::kMXFP4:  // 2^-4 at most, halved
        append(out, static_cast<std::uint8_t>(123 - random.bits() % 3));
        break;
    }
    const std::ptrdiff_t tail_bytes = type == WeightType::kQ2_K                                ? 4
                                      : type == WeightType::kQ6_K || type == WeightType::kQ3_K ? 2
                                                                                               : 0;
    while ((std::ssize(out) + tail_bytes) % block.bytes != 0)
      append(out, static_cast<std::uint8_t>(random.bits()));
    for (std::ptrdiff_t n = 0; n < tail_bytes; n += 2) append(out, tail);
  }
  return out;
}

std::string utf8_of(int code) {  // below U+0800
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

constexpr int kVocab = 3 + 256 + 15;  // special tokens, bytes, merges

void add_tokenizer(GgufWriter& file) {
  std::vector<std::string> tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  std::vector<std::int32_t> kinds(tokens.size(), 3);  // control
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(byte_letter(byte));
  const std::string space = byte_letter(' ');
  const std::vector<std::pair<std::string, std::string>> merges = {
      {"h", "e"},    {"i", "n"},  {space, "t"}, {space, "a"},        {"e", "r"},
      {"l", "l"},    {"o", "u"},  {"he", "ll"}, {space + "t", "he"}, {space, space},
      {"hell", "o"}, {"in", "g"}, {"a", "n"},   {"an", "d"},         {space, "he"},
  };
  std::vector<std::string> lines;
  for (const auto& [left, right] : merges) {
    tokens.push_back(left + right);
    lines.push_back(fmt::format("{} {}", left, right));
  }
  kinds.resize(tokens.size(), 1);  // normal
  file.set("tokenizer.ggml.model", "gpt2");
  file.set("tokenizer.ggml.pre", "smollm");
  file.set("tokenizer.ggml.tokens", tokens);
  file.set("tokenizer.ggml.token_type", kinds);
  file.set("tokenizer.ggml.merges", lines);
  file.set("tokenizer.ggml.bos_token_id", 1u);
  file.set("tokenizer.ggml.eos_token_id", 2u);
  file.set("tokenizer.ggml.add_bos_token", false);
  file.set(
      "tokenizer.chat_template",
      "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
      "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
      "Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + "
      "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
      "{{ '<|im_start|>assistant\n' }}{% endif %}");
}

std::string architecture_of(const TinyShape& shape) { return shape.fused ? "phi3" : "llama"; }

void add_config(GgufWriter& file, const TinyShape& shape) {
  const std::string prefix = architecture_of(shape) + ".";
  const auto set = [&](const char* key, int value) {
    file.set(prefix + key, static_cast<std::uint32_t>(value));
  };
  file.set("general.architecture", architecture_of(shape));
  file.set("general.type", "model");
  file.set("general.name", "tiny");
  set("block_count", shape.layers);
  set("context_length", shape.context);
  set("embedding_length", shape.width);
  set("feed_forward_length", shape.ffn_width);
  set("attention.head_count", shape.heads);
  set("attention.head_count_kv", shape.kv_heads);
  set("attention.key_length", shape.head_width);
  set("attention.value_length", shape.head_width);
  set("rope.dimension_count", shape.head_width);
  file.set(prefix + "rope.freq_base", 10000.0f);
  file.set(prefix + "attention.layer_norm_rms_epsilon", 1e-5f);
}

}  // namespace

std::string byte_letter(int byte) {
  // GPT-2's alphabet: printable bytes represent themselves, the others are U+0100 onwards, in order.
  const auto printable = [](int b) {
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
  };
  if (printable(byte)) return utf8_of(byte);
  int others_before = 0;
  for (int b = 0; b < byte; ++b) others_before += !printable(b);
  return utf8_of(0x100 + others_before);
}

GgufWriter tiny_llama_writer(const TinyShape& shape, std::uint64_t seed, WeightType type) {
  GgufWriter file;
  add_config(file, shape);
  add_tokenizer(file);
  file.set(architecture_of(shape) + ".vocab_size", static_cast<std::uint32_t>(kVocab));
  const int queries = shape.heads * shape.head_width;
  const int keys = shape.kv_heads * shape.head_width;

  Random random(seed);
  const auto matrix = [&](const std::string& name, int rows, int columns) {
    const float range = std::sqrt(3.0f / static_cast<float>(columns));  // variance 1 / columns
    file.add_tensor({name,
                     {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
                     model::gguf_type_number(type),
                     random_numbers(type, std::int64_t{rows} * columns, range, random)});
  };
  const auto norm = [&](const std::string& name) {
    Bytes data;
    for (int i = 0; i < shape.width; ++i) append(data, 1 + 0.25f * random.symmetric());
    file.add_tensor({name, {static_cast<std::uint64_t>(shape.width)}, 0, std::move(data)});
  };
  matrix("token_embd.weight", kVocab, shape.width);
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    norm(prefix + "attn_norm.weight");
    if (shape.fused) {
      matrix(prefix + "attn_qkv.weight", queries + 2 * keys, shape.width);
    } else {
      matrix(prefix + "attn_q.weight", queries, shape.width);
      matrix(prefix + "attn_k.weight", keys, shape.width);
      matrix(prefix + "attn_v.weight", keys, shape.width);
    }
    matrix(prefix + "attn_output.weight", shape.width, queries);
    norm(prefix + "ffn_norm.weight");
    if (shape.fused) {
      matrix(prefix + "ffn_up.weight", 2 * shape.ffn_width, shape.width);
    } else {
      matrix(prefix + "ffn_gate.weight", shape.ffn_width, shape.width);
      matrix(prefix + "ffn_up.weight", shape.ffn_width, shape.width);
    }
    matrix(prefix + "ffn_down.weight", shape.width, shape.ffn_width);
  }
  norm("output_norm.weight");
  if (!shape.tied) matrix("output.weight", kVocab, shape.width);
  return file;
}

std::vector<std::byte> tiny_llama_gguf(const TinyShape& shape, std::uint64_t seed,
                                       WeightType type) {
  return tiny_llama_writer(shape, seed, type).bytes();
}

std::vector<std::byte> tiny_llama_with_large(const std::string& tensor) {
  GgufWriter writer = tiny_llama_writer({}, 3, WeightType::kF32);
  Bytes& data = writer.tensor(tensor).data;
  for (std::size_t i = 0; i < data.size(); i += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, &data[i], sizeof number);
    number *= 1e6f;
    std::memcpy(&data[i], &number, sizeof number);
  }
  return writer.bytes();
}

std::filesystem::path write_tiny_llama(const std::filesystem::path& folder, const std::string& name,
                                       const TinyShape& shape, std::uint64_t seed,
                                       WeightType type) {
  auto path = folder / name;
  const Bytes bytes = tiny_llama_gguf(shape, seed, type);
  std::ofstream out(path, std::ios::binary);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

}  // namespace outrider::test
