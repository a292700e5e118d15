#include "tests/fuzz/hdf5_pieces.h"

#include <algorithm>
#include <string_view>

#include "runtime/hdf5/dataset_paths.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::fuzz {
namespace {

using hdf5::NumberType;

constexpr std::uint64_t kMaxBytes = 1 << 20;  // of one dataset
constexpr std::uint64_t kMaxRank = 4;

/// Takes bytes from the front; zeros after the end.
class Front {
 public:
  explicit Front(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::uint64_t number(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= std::to_integer<std::uint64_t>(byte()) << (8 * i);
    return value;
  }
  std::span<const std::byte> take(std::size_t count) {
    const auto taken = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  std::byte byte() {
    if (bytes_.empty()) return std::byte{0};
    return take(1)[0];
  }
  std::span<const std::byte> bytes_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put(std::string& pieces, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) pieces += static_cast<char>(number >> (8 * i));
}

}  // namespace

std::vector<std::byte> file_of_pieces(std::span<const std::byte> pieces) {
  hdf5::Writer file;
  for (Front front(pieces); !front.empty();) {
    const std::string path(text_of(front.take(front.number(1))));
    const std::uint64_t type = front.number(1) % (kText + 1);
    hdf5::Dims dims(front.number(1) % (kMaxRank + 1));
    for (std::uint64_t& dim : dims) dim = front.number(2);
    const auto values = front.take(front.number(2));
    if (type == kText) {
      file.add_text(path, text_of(values));
      continue;
    }
    std::uint64_t bytes = size_of(static_cast<NumberType>(type));
    for (std::uint64_t& dim : dims) {
      if (dim > kMaxBytes / std::max<std::uint64_t>(bytes, 1)) dim = 1;
      bytes *= dim;
    }
    std::vector<std::byte> all(values.begin(), values.end());
    all.resize(bytes);
    file.add_numbers(path, static_cast<NumberType>(type), dims, all, hdf5::Packing::kPacked);
  }
  return file.finish();
}

std::string pieces_of_file(const std::vector<std::byte>& file) {
  const hdf5::Reader reader(file, "seed");
  std::string pieces;
  for (const std::string& path : hdf5::dataset_paths(reader)) {
    const hdf5::DatasetInfo info = reader.info(path);
    put(pieces, path.size(), 1);
    pieces += path;
    put(pieces, info.is_text ? kText : static_cast<std::uint64_t>(info.type), 1);
    put(pieces, info.dims.size(), 1);
    for (const std::uint64_t dim : info.dims) put(pieces, dim, 2);
    const auto bytes = info.is_text ? std::vector<std::byte>() : reader.read_bytes(path);
    const std::string text =
        info.is_text ? reader.read_text(path, 1 << 16) : std::string(text_of(bytes));
    put(pieces, text.size(), 2);
    pieces += text;
  }
  return pieces;
}

}  // namespace outrider::fuzz
