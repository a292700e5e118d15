#include "runtime/model/gguf/write_gguf.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "runtime/base/error.h"
#include "runtime/model/assemble_weights.h"
#include "runtime/model/exported_tensors.h"
#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/gguf/gguf_tensor.h"
#include "runtime/model/gguf/gguf_tensor_names.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {
namespace {

constexpr std::size_t kDataAlignment = 32;

/// The metadata: pairs of a key and a value after its type.
class KeyWriter {
 public:
  template <typename T>
  void put(T number) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_ += text;
  }
  void begin(std::string_view key, GgufType type) {
    put_text(key);
    put(static_cast<std::uint32_t>(type));
    ++keys_;
  }
  void add(std::string_view key, std::string_view text) {
    begin(key, GgufType::kString);
    put_text(text);
  }
  void add(std::string_view key, int number) {
    begin(key, GgufType::kU32);
    put(static_cast<std::uint32_t>(number));
  }
  void add(std::string_view key, float number) {
    begin(key, GgufType::kF32);
    put(number);
  }
  /// Adds a value as it was read; whole numbers of a key in 32 bits, as llama.cpp has them.
  void copy(std::string_view key, const GgufValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
      begin(key, GgufType::kBool);
      put(*flag);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
      begin(key, GgufType::kU32);
      put(static_cast<std::uint32_t>(*whole));
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      begin(key, GgufType::kI32);
      put(static_cast<std::int32_t>(*number));
    } else if (const auto* real = std::get_if<double>(&value)) {
      add(key, static_cast<float>(*real));
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      add(key, *text);
    } else if (const auto* array = std::get_if<GgufArray>(&value)) {
      begin(key, GgufType::kArray);
      put(static_cast<std::uint32_t>(array->element));
      put(array->count);
      bytes_.append(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
    }
  }

  std::uint64_t keys() const { return keys_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::uint64_t keys_ = 0;
  std::string bytes_;
};

void add_shape(const Model& model, KeyWriter& keys) {
  const ModelConfig& config = model.config;
  const std::string architecture = exported_architecture(config);
  const auto key = [&](const char* name) { return architecture + "." + name; };
  keys.add("general.architecture", architecture);
  keys.add("general.name", model.name);
  keys.add("general.quantization_version", 2);
  keys.add(key("block_count"), config.layers);
  keys.add(key("context_length"), config.context);
  keys.add(key("embedding_length"), config.width);
  keys.add(key("feed_forward_length"), config.ffn_width);
  keys.add(key("attention.head_count"), config.heads);
  keys.add(key("attention.head_count_kv"), config.kv_heads);
  keys.add(key("attention.key_length"), config.head_width);
  keys.add(key("attention.value_length"), config.head_width);
  keys.add(key("attention.layer_norm_rms_epsilon"), config.norm_epsilon);
  keys.add(key("rope.dimension_count"), config.rotary_width);
  keys.add(key("rope.freq_base"), config.rope_base);
  if (config.rope_scale != 1) keys.add(key("rope.scaling.attn_factor"), config.rope_scale);
  keys.add(key("vocab_size"), config.vocab);
  if (config.embedding_scale == 1) return;
  keys.add(key("embedding_scale"), config.embedding_scale);
  keys.add(key("residual_scale"), 1.0f);
  keys.add(key("logit_scale"), 1.0f);
  keys.add(key("attention.scale"), 1.0f / std::sqrt(static_cast<float>(config.head_width)));
}

void copy_tokenizer(const Model& from, KeyWriter& keys) {
  if (from.files.empty() || std::filesystem::is_directory(from.path))
    throw InputError(
        fmt::format("--to gguf: expected the target as a GGUF file, whose tokenizer is copied, "
                    "found {}; use --to safetensors",
                    from.path.string()));
  const GgufFile file = GgufFile::parse(from.files.front()->bytes(), from.path.string());
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with("tokenizer.")) keys.copy(key, value);
}

/// A tensor on its way into the file.
struct Piece {
  std::string name;
  std::vector<std::uint64_t> shape;  // innermost first
  WeightType type;
  std::string bytes;
};

Piece piece_of(const ExportedTensor& tensor, const ModelConfig& config, bool as_floats) {
  const Weight& weight = *tensor.weight;
  Piece piece = {tensor.name, {static_cast<std::uint64_t>(weight.columns)}, weight.type, {}};
  if (weight.rows > 1) piece.shape.push_back(static_cast<std::uint64_t>(weight.rows));
  if (as_floats) piece.type = WeightType::kF32;
  const std::size_t row_bytes = as_floats ? static_cast<std::size_t>(weight.columns) * sizeof(float)
                                          : static_cast<std::size_t>(weight.row_bytes());
  std::vector<std::int32_t> stored;
  if (tensor.is_rotated) stored = halves_from_neighbours(weight.rows, config.head_width);
  piece.bytes.resize(static_cast<std::size_t>(weight.rows) * row_bytes);
  std::vector<float> floats(static_cast<std::size_t>(weight.columns));
  std::vector<std::byte> made;
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    const auto at = static_cast<std::size_t>(
        stored.empty() ? r : std::int64_t{stored[static_cast<std::size_t>(r)]});
    if (as_floats) weight.read_row(r, floats.data());
    const void* const row =
        as_floats ? static_cast<const void*>(floats.data()) : weight.row(r, made);
    std::memcpy(piece.bytes.data() + at * row_bytes, row, row_bytes);
  }
  return piece;
}

std::size_t padding_after(std::size_t size) {
  return (kDataAlignment - size % kDataAlignment) % kDataAlignment;
}

}  // namespace

void write_gguf(const Model& model, const Model& tokenizer, bool as_floats, OutputFile& out) {
  KeyWriter keys;
  add_shape(model, keys);
  copy_tokenizer(tokenizer, keys);
  std::vector<Piece> pieces;
  for (const ExportedTensor& tensor : exported_tensors(model, *gguf_tensor_names("llama")))
    pieces.push_back(piece_of(tensor, model.config, as_floats));
  const std::vector<float>& divisors = model.config.rope_divisors;
  if (!divisors.empty())
    pieces.push_back(
        {"rope_freqs.weight",
         {divisors.size()},
         WeightType::kF32,
         {reinterpret_cast<const char*>(divisors.data()), divisors.size() * sizeof(float)}});
  KeyWriter header;
  header.put(static_cast<std::uint32_t>(0x46554747));  // "GGUF"
  header.put(std::uint32_t{3});
  header.put(static_cast<std::uint64_t>(pieces.size()));
  header.put(keys.keys());
  KeyWriter infos;
  std::uint64_t offset = 0;
  for (const Piece& piece : pieces) {
    infos.put_text(piece.name);
    infos.put(static_cast<std::uint32_t>(piece.shape.size()));
    for (const std::uint64_t extent : piece.shape) infos.put(extent);
    infos.put(gguf_type_number(piece.type));
    infos.put(offset);
    offset += piece.bytes.size() + padding_after(piece.bytes.size());
  }
  const std::string head = header.bytes() + keys.bytes() + infos.bytes();
  out.write(head + std::string(padding_after(head.size()), '\0'));
  for (const Piece& piece : pieces) {
    out.write(piece.bytes);
    out.write(std::string(padding_after(piece.bytes.size()), '\0'));
  }
  out.commit();
}

}  // namespace outrider::model
