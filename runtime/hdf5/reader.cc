#include "runtime/hdf5/reader.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "runtime/hdf5/plain_file.h"

namespace outrider::hdf5 {
namespace {

/// "[any, 32]"
std::string shown(const Dims& dims) {
  std::vector<std::string> texts;
  for (const std::uint64_t dim : dims) {
    texts.push_back(dim == Reader::kAny ? "any" : std::to_string(dim));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// Deflate's largest expansion; a dataset that claims more than this of the file's size is refused.
constexpr std::uint64_t kMostExpansion = 1032;

}  // namespace

Reader::Reader(const std::filesystem::path& path) : file_(std::make_unique<PlainFile>(path)) {}
Reader::Reader(std::span<const std::byte> bytes, std::string name)
    : file_(std::make_unique<PlainFile>(bytes, std::move(name))) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::string& Reader::name() const { return file_->name(); }

void Reader::refuse(const std::string& path, const std::string& what) const {
  file_->refuse(path, what);
}

std::vector<std::string> Reader::names(const std::string& group) const {
  const LibraryCall call;
  const Handle opened(H5Gopen2(file_->id(), group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!opened) refuse(group, "expected this group, found none");
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  if (H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names) < 0) {
    refuse(group, "cannot be listed: " + hdf5_reason());
  }
  return names;
}

bool Reader::has(const std::string& path) const { return file_->has(path); }

bool Reader::is_group(const std::string& path) const {
  const LibraryCall call;
  if (!has(path)) return false;
  H5O_info_t found;  // without opening it, which takes much longer of a dataset
  return H5Oget_info_by_name2(file_->id(), path.c_str(), &found, H5O_INFO_BASIC, H5P_DEFAULT) >=
             0 &&
         found.type == H5O_TYPE_GROUP;
}

DatasetInfo Reader::info(const std::string& path) const {
  return file_->info(path, file_->open(path));
}

Dims Reader::checked_dims(const std::string& path, NumberType type, const Dims& expected) const {
  const DatasetInfo found = info(path);
  if (found.is_text || found.type != type) {
    refuse(path, fmt::format("expected {}, found {}", name_of(type),
                             found.is_text ? "text" : name_of(found.type)));
  }
  const bool fits = std::equal(
      found.dims.begin(), found.dims.end(), expected.begin(), expected.end(),
      [](std::uint64_t have, std::uint64_t want) { return want == kAny || have == want; });
  if (!fits) {
    refuse(path, fmt::format("expected shape {}, found {}", shown(expected), shown(found.dims)));
  }
  return found.dims;
}

std::size_t Reader::checked_count(const std::string& path, const Dims& dims,
                                  std::size_t size) const {
  const std::uint64_t most =
      std::min(kMaxBytes, file_->bytes() * kMostExpansion) / size;  // file sizes are below 2^53
  std::uint64_t count = 1;
  for (const std::uint64_t dim : dims) {
    if (dim != 0 && count > most / dim) {
      refuse(path, fmt::format("expected at most {} numbers in this file, found shape {}", most,
                               shown(dims)));
    }
    count *= dim;
  }
  return count;
}

void Reader::check_rows(const std::string& path, const Dims& dims, std::uint64_t first,
                        std::uint64_t count) const {
  if (!dims.empty() && first <= dims[0] && count <= dims[0] - first) return;
  refuse(path,
         fmt::format("expected rows {} to {}, found shape {}", first, first + count, shown(dims)));
}

void Reader::read_rows_into(const std::string& path, std::uint64_t first, std::uint64_t count,
                            std::span<std::byte> bytes) const {
  if (bytes.empty()) return;
  const LibraryCall call;
  const Handle set = file_->open(path);
  const DatasetInfo found = file_->info(path, set);
  const Handle type = file_type(found.type);
  if (found.dims.empty()) {
    if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0) return;
    refuse(path, "cannot be read: " + hdf5_reason());
  }
  std::vector<hsize_t> start(found.dims.size(), 0);
  std::vector<hsize_t> block(found.dims.begin(), found.dims.end());
  start[0] = first;
  block[0] = count;
  const Handle file_space(must(H5Dget_space(set.get())), H5Sclose);
  const Handle memory_space(
      must(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr)), H5Sclose);
  must(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(),
                           nullptr));
  if (H5Dread(set.get(), type.get(), memory_space.get(), file_space.get(), H5P_DEFAULT,
              bytes.data()) < 0) {
    refuse(path, "cannot be read: " + hdf5_reason());
  }
}

std::vector<std::byte> Reader::read_bytes(const std::string& path) const {
  const DatasetInfo found = info(path);
  if (found.is_text) refuse(path, "expected numbers, found text");
  const std::size_t size = size_of(found.type);
  std::vector<std::byte> bytes(checked_count(path, found.dims, size) * size);
  read_rows_into(path, 0, found.dims.empty() ? 1 : found.dims[0], bytes);
  return bytes;
}

std::string Reader::read_text(const std::string& path, std::size_t max_bytes) const {
  const LibraryCall call;
  const Handle set = file_->open(path);
  const DatasetInfo found = file_->info(path, set);
  if (!found.is_text || !found.dims.empty()) refuse(path, "expected one text, found numbers");
  const Handle type(must(H5Dget_type(set.get())), H5Tclose);
  const std::size_t size = H5Tget_size(type.get());
  if (size > max_bytes) {
    refuse(path, fmt::format("expected at most {} bytes of text, found {}", max_bytes, size));
  }
  std::string text(size, '\0');
  if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    refuse(path, "cannot be read: " + hdf5_reason());
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace outrider::hdf5
