#include "runtime/model/safetensors_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/model/byte_reader.h"
#include "runtime/model/json_object.h"
#include "runtime/model/strict_json.h"

namespace outrider::model {
namespace {

// The format's own limit.
constexpr std::uint64_t kMostHeader = 100'000'000;
constexpr std::size_t kMostDimensions = 8;
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 48;

std::optional<WeightType> type_called(const std::string& name) {
  if (name == "F32") return WeightType::kF32;
  if (name == "F16") return WeightType::kF16;
  if (name == "BF16") return WeightType::kBF16;
  return std::nullopt;
}

/// Nothing: bytes.
std::optional<WeightType> read_type(const JsonObject& entry) {
  const std::string name = entry.required_text("dtype");
  if (name == "U8") return std::nullopt;
  const auto type = type_called(name);
  if (!type) entry.fail("dtype", fmt::format("'{}'", name), "F32, F16, BF16 or U8");
  return type;
}

/// The number of elements of a tensor of this shape.
std::int64_t count_of(const JsonObject& entry, const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size > 0 && count > kMostNumbers / size) entry.fail("shape", "too large", "up to 2^48");
    count *= size;
  }
  return count;
}

struct DataRange {
  SafeTensor tensor;
  std::int64_t begin;
  std::int64_t end;
};

DataRange read_tensor(const std::string& name, const JsonObject& entry, std::int64_t data_size) {
  static constexpr std::string_view kKeys[] = {"dtype", "shape", "data_offsets"};
  entry.refuse_others(kKeys);
  DataRange range;
  range.tensor.name = name;
  range.tensor.type = read_type(entry);
  if (!entry.required("shape").is_array()) entry.fail("shape", "not a list", "a list");
  range.tensor.shape = entry.integers("shape", 0, kMostNumbers);
  if (range.tensor.shape.size() > kMostDimensions)
    entry.fail("shape", fmt::format("of {} dimensions", range.tensor.shape.size()),
               fmt::format("at most {}", kMostDimensions));
  entry.required("data_offsets");
  const auto offsets = entry.integers("data_offsets", 0, data_size);
  const std::int64_t size = count_of(entry, range.tensor.shape) *
                            (range.tensor.type ? block_shape(*range.tensor.type).bytes : 1);
  if (offsets.size() != 2 || offsets[1] - offsets[0] != size)
    entry.fail("data_offsets",
               fmt::format("{} numbers that do not differ by {} bytes", offsets.size(), size),
               "begin and end of the data of that shape and type");
  range.begin = offsets[0];
  range.end = offsets[1];
  return range;
}

}  // namespace

std::vector<SafeTensor> parse_safetensors(std::span<const std::byte> bytes,
                                          const std::string& name) {
  ByteReader reader(bytes, name);
  const auto length = reader.number<std::uint64_t>("the length of the header");
  if (length > kMostHeader)
    throw InputError(
        fmt::format("{}: the header has {} bytes; expected at most {}", name, length, kMostHeader));
  const auto header = reader.take(length, "the header");
  const auto data = reader.take(reader.left(), "the data");
  const nlohmann::json parsed =
      parse_strict_json({reinterpret_cast<const char*>(header.data()), header.size()}, name);
  if (!parsed.is_object())
    throw InputError(fmt::format("{}: the header is {}, expected an object of tensors", name,
                                 parsed.type_name()));

  std::vector<DataRange> ranges;
  for (const auto& [key, value] : parsed.items()) {
    if (key == "__metadata__") continue;
    const JsonObject entry(value, fmt::format("{}: tensor '{}'", name, key));
    ranges.push_back(read_tensor(key, entry, static_cast<std::int64_t>(data.size())));
  }
  std::sort(ranges.begin(), ranges.end(), [](const DataRange& a, const DataRange& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });

  std::vector<SafeTensor> tensors;
  std::int64_t end = 0;
  for (DataRange& next : ranges) {
    if (next.begin != end)
      throw InputError(
          fmt::format("{}: the data of tensor '{}' begin at byte {} (expected {}, the end of the "
                      "previous tensor)",
                      name, next.tensor.name, next.begin, end));
    end = next.end;
    next.tensor.bytes = data.subspan(static_cast<std::size_t>(next.begin),
                                     static_cast<std::size_t>(next.end - next.begin));
    tensors.push_back(std::move(next.tensor));
  }
  if (end != static_cast<std::int64_t>(data.size()))
    throw InputError(
        fmt::format("{}: has {} bytes of data, but its tensors take {}", name, data.size(), end));
  return tensors;
}

}  // namespace outrider::model
