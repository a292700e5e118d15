#include "runtime/model/gguf/gguf_metadata.h"

#include <fmt/core.h>

#include <cstring>

#include "runtime/base/error.h"
#include "runtime/model/byte_reader.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::model {
namespace {

/// An integer of either sign; above int64's range it becomes the maximum, which is out of any bounds.
std::optional<std::int64_t> as_integer(const GgufValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return *number > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

/// An array of `Stored` converted to `Number`.
template <typename Stored, typename Number>
std::vector<Number> elements(const GgufArray& array) {
  std::vector<Number> numbers;
  numbers.reserve(array.count);
  for (std::size_t at = 0; at < array.bytes.size(); at += sizeof(Stored)) {
    Stored number;
    std::memcpy(&number, array.bytes.data() + at, sizeof number);
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}

}  // namespace

std::optional<std::int64_t> GgufMetadata::integer(std::string_view key, std::int64_t low,
                                                  std::int64_t high) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = as_integer(*value);
  const std::string expected = fmt::format("an integer from {} to {}", low, high);
  if (!number) fail(key, "not an integer", expected);
  if (*number < low || *number > high) fail(key, std::to_string(*number), expected);
  return number;
}

std::int64_t GgufMetadata::required_integer(std::string_view key, std::int64_t low,
                                            std::int64_t high) const {
  const auto number = integer(key, low, high);
  if (!number) fail_absent(key);
  return *number;
}

std::optional<double> GgufMetadata::number(std::string_view key, double low, double high) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* number = std::get_if<double>(value);
  const std::string expected = fmt::format("a number from {} to {}", low, high);
  if (number == nullptr) fail(key, "not a float", expected);
  if (!(*number >= low && *number <= high)) fail(key, fmt::format("{}", *number), expected);
  return *number;
}

std::optional<bool> GgufMetadata::flag(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* flag = std::get_if<bool>(value);
  if (flag == nullptr) fail(key, "not a bool", "true or false");
  return *flag;
}

std::optional<std::string> GgufMetadata::text(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* found = std::get_if<std::string_view>(value);
  if (found == nullptr || outrider::text::find_invalid_utf8(*found))
    fail(key, "not UTF-8 text", "UTF-8 text");
  return std::string(*found);
}

std::string GgufMetadata::required_text(std::string_view key) const {
  auto found = text(key);
  if (!found) fail_absent(key);
  return *std::move(found);
}

std::optional<std::vector<std::string_view>> GgufMetadata::texts(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || array->element != GgufType::kString) {
    fail(key, "of another type", "an array of strings");
  }
  std::vector<std::string_view> strings;
  strings.reserve(array->count);
  ByteReader reader(array->bytes, file_->name());
  for (std::uint64_t i = 0; i < array->count; ++i) {
    strings.push_back(reader.text(key));
    if (outrider::text::find_invalid_utf8(strings.back())) {
      fail(key, fmt::format("not UTF-8 at index {}", i), "an array of UTF-8 strings");
    }
  }
  return strings;
}

std::optional<std::vector<std::int64_t>> GgufMetadata::integers(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* array = std::get_if<GgufArray>(value)) {
    switch (array->element) {
      case GgufType::kI32:
        return elements<std::int32_t, std::int64_t>(*array);
      case GgufType::kU32:
        return elements<std::uint32_t, std::int64_t>(*array);
      default:
        break;
    }
  }
  fail(key, "of another type", "an array of 32-bit integers");
}

std::optional<std::vector<bool>> GgufMetadata::flags(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || array->element != GgufType::kBool)
    fail(key, "of another type", "an array of bools");
  std::vector<bool> flags;
  for (const std::byte flag : array->bytes) flags.push_back(flag != std::byte{0});
  return flags;
}

std::optional<std::vector<float>> GgufMetadata::floats(std::string_view key) const {
  const GgufValue* value = file_->find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr || array->element != GgufType::kF32)
    fail(key, "of another type", "an array of 32-bit floats");
  return elements<float, float>(*array);
}

void GgufMetadata::fail_absent(std::string_view key) const {
  throw InputError(fmt::format("{}: metadata key '{}' is missing", file_->name(), key));
}

void GgufMetadata::fail(std::string_view key, std::string_view found,
                        std::string_view expected) const {
  throw InputError(fmt::format("{}: metadata key '{}' is {} (expected {})", file_->name(), key,
                               found, expected));
}

}  // namespace outrider::model
