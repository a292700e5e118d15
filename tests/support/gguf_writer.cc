#include "tests/support/gguf_writer.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace outrider::test {
namespace {

using Bytes = std::vector<std::byte>;

enum : std::uint32_t { kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9 };
constexpr std::size_t kAlignment = 32;

void append_bytes(Bytes& out, const void* source, std::size_t size) {
  if (size == 0) return;
  const std::size_t before = out.size();
  out.resize(before + size);
  std::memcpy(out.data() + before, source, size);
}

template <typename T>
void append(Bytes& out, T number) {
  append_bytes(out, &number, sizeof number);
}

void append_text(Bytes& out, std::string_view text) {
  append<std::uint64_t>(out, text.size());
  append_bytes(out, text.data(), text.size());
}

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void GgufWriter::set(std::string_view key, std::uint32_t value) {
  Bytes bytes;
  append(bytes, value);
  set_raw(key, kU32, std::move(bytes));
}

void GgufWriter::set(std::string_view key, float value) {
  Bytes bytes;
  append(bytes, value);
  set_raw(key, kF32, std::move(bytes));
}

void GgufWriter::set(std::string_view key, bool value) {
  Bytes bytes;
  append(bytes, value);
  set_raw(key, kBool, std::move(bytes));
}

void GgufWriter::set(std::string_view key, std::string_view value) {
  Bytes bytes;
  append_text(bytes, value);
  set_raw(key, kString, std::move(bytes));
}

void GgufWriter::set(std::string_view key, const std::vector<std::string>& values) {
  Bytes bytes;
  append<std::uint32_t>(bytes, kString);
  append<std::uint64_t>(bytes, values.size());
  for (const std::string& value : values) append_text(bytes, value);
  set_raw(key, kArray, std::move(bytes));
}

void GgufWriter::set(std::string_view key, const std::vector<std::int32_t>& values) {
  Bytes bytes;
  append<std::uint32_t>(bytes, kI32);
  append<std::uint64_t>(bytes, values.size());
  for (const std::int32_t value : values) append(bytes, value);
  set_raw(key, kArray, std::move(bytes));
}

void GgufWriter::set(std::string_view key, const std::vector<bool>& values) {
  Bytes bytes;
  append<std::uint32_t>(bytes, kBool);
  append<std::uint64_t>(bytes, values.size());
  for (const bool value : values) append(bytes, value);
  set_raw(key, kArray, std::move(bytes));
}

void GgufWriter::set(std::string_view key, const std::vector<float>& values) {
  Bytes bytes;
  append<std::uint32_t>(bytes, kF32);
  append<std::uint64_t>(bytes, values.size());
  for (const float value : values) append(bytes, value);
  set_raw(key, kArray, std::move(bytes));
}

void GgufWriter::set_raw(std::string_view key, std::uint32_t type, Bytes value) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  Entry entry{std::string(key), type, std::move(value)};
  if (found == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    *found = std::move(entry);
  }
}

void GgufWriter::erase(std::string_view key) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
}

void GgufWriter::repeat(std::string_view key) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) throw std::out_of_range(std::string(key));
  const Entry copy = *found;
  entries_.push_back(copy);
}

GgufWriter::Tensor& GgufWriter::tensor(std::string_view name) {
  for (Tensor& tensor : tensors_) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range(std::string(name));
}

void GgufWriter::erase_tensor(std::string_view name) {
  std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
}

Bytes GgufWriter::header() const {
  Bytes out;
  for (const char letter : {'G', 'G', 'U', 'F'}) append(out, letter);
  append(out, version_);
  append<std::uint64_t>(out, tensors_.size());
  append<std::uint64_t>(out, entries_.size());
  for (const Entry& entry : entries_) {
    append_text(out, entry.key);
    append(out, entry.type);
    append_bytes(out, entry.value.data(), entry.value.size());
  }
  std::size_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    append_text(out, tensor.name);
    append(out, static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t extent : tensor.shape) append(out, extent);
    append(out, tensor.type);
    append(out,
           static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) + tensor.offset_shift));
    offset = aligned(offset + tensor.data.size());
  }
  return out;
}

Bytes GgufWriter::bytes() const {
  Bytes out = header();
  out.resize(aligned(out.size()));
  for (const Tensor& tensor : tensors_) {
    append_bytes(out, tensor.data.data(), tensor.data.size());
    out.resize(aligned(out.size()));
  }
  return out;
}

}  // namespace outrider::test
