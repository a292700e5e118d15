#include "runtime/hdf5/reader.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/base/opened_files.h"
#include "runtime/hdf5/library.h"

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
constexpr std::uint64_t kMaxChunkBytes = 64 << 20;

}  // namespace

struct Reader::State {
  std::string name;
  Handle file;
  std::uint64_t file_bytes = 0;

  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", name, path, what));
  }

  void open_file(const std::string& file_name, const Handle& access) {
    file = Handle(H5Fopen(file_name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file) throw InputError(fmt::format("{}: is not an HDF5 file: {}", name, hdf5_reason()));
  }

  /// Hard links only: an external link could name any file of the user's.
  bool has(const std::string& path) const {
    for (std::size_t at = 0; at != std::string::npos;) {
      at = path.find('/', at + 1);
      H5L_info_t link;
      if (H5Lget_info(file.get(), path.substr(0, at).c_str(), &link, H5P_DEFAULT) < 0) return false;
      if (link.type != H5L_TYPE_HARD) return false;
    }
    return true;
  }

  Handle open(const std::string& path) const {
    if (!has(path)) refuse(path, "expected this dataset, found none");
    Handle set(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set) refuse(path, "cannot be opened as a dataset: " + hdf5_reason());
    const Handle layout(H5Dget_create_plist(set.get()), H5Pclose);
    if (!layout) refuse(path, "has no layout: " + hdf5_reason());
    check_layout(path, layout.get());
    check_filters(path, layout.get());
    return set;
  }

  /// Refuses data in other files and oversized chunks.
  void check_layout(const std::string& path, hid_t layout) const {
    const H5D_layout_t kind = H5Pget_layout(layout);
    if (kind != H5D_CONTIGUOUS && kind != H5D_CHUNKED && kind != H5D_COMPACT) {
      refuse(path, "has an unsupported layout");
    }
    if (H5Pget_external_count(layout) != 0) refuse(path, "has its data in other files");
    if (kind != H5D_CHUNKED) return;
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(layout, H5S_MAX_RANK, chunk);
    std::uint64_t count = 1;
    for (int i = 0; i < rank; ++i) {
      if (chunk[i] == 0 || chunk[i] > kMaxChunkBytes / count) refuse(path, "has oversized chunks");
      count *= chunk[i];
    }
    if (rank < 1) refuse(path, "has no chunks: " + hdf5_reason());
  }

  void check_filters(const std::string& path, hid_t layout) const {
    const int filters = H5Pget_nfilters(layout);
    if (filters < 0 || filters > 2) refuse(path, "has unsupported filters");
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      std::size_t none = 0;
      const H5Z_filter_t filter = H5Pget_filter2(layout, static_cast<unsigned>(i), &flags, &none,
                                                 nullptr, 0, nullptr, nullptr);
      if (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE) continue;
      refuse(path,
             fmt::format("expected no filter but shuffle and deflate, found number {}", filter));
    }
  }

  Dims dims_of(const std::string& path, const Handle& set) const {
    const Handle space(H5Dget_space(set.get()), H5Sclose);
    const H5S_class_t kind = space ? H5Sget_simple_extent_type(space.get()) : H5S_NO_CLASS;
    if (kind == H5S_SCALAR) return {};
    hsize_t sizes[H5S_MAX_RANK];
    const int rank =
        kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space.get(), sizes, nullptr) : -1;
    if (rank < 1) refuse(path, "has no shape: " + hdf5_reason());
    return {sizes, sizes + rank};
  }

  DatasetInfo info(const std::string& path, const Handle& set) const {
    DatasetInfo found;
    found.dims = dims_of(path, set);
    found.stored_bytes = H5Dget_storage_size(set.get());
    const Handle type(H5Dget_type(set.get()), H5Tclose);
    if (!type) refuse(path, "has no type: " + hdf5_reason());
    if (H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0) {
      found.is_text = true;
      return found;
    }
    for (int i = 0; i < kNumberTypes; ++i) {
      found.type = static_cast<NumberType>(i);
      if (H5Tequal(type.get(), file_type(found.type).get()) > 0) return found;
    }
    refuse(path, "has an unsupported type");
  }
};

Reader::Reader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  set_up_hdf5();
  state_->name = path.string();
  std::error_code error;
  state_->file_bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", path.string(), error.message()));
  note_input(path);
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  // Finished files never change, and some file systems do not support locks.
  must(H5Pset_file_locking(access.get(), false, true));
  state_->open_file(path.string(), access);
}

Reader::Reader(std::span<const std::byte> bytes, std::string name)
    : state_(std::make_unique<State>()) {
  set_up_hdf5();
  state_->name = std::move(name);
  state_->file_bytes = bytes.size();
  if (bytes.empty()) throw InputError(fmt::format("{}: is not an HDF5 file: empty", state_->name));
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  must(H5Pset_fapl_core(access.get(), 1 << 20, false));
  // The library copies the bytes; only its signature lacks const.
  must(H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size()));
  state_->open_file(memory_file_name(), access);
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::string& Reader::name() const { return state_->name; }

void Reader::refuse(const std::string& path, const std::string& what) const {
  state_->refuse(path, what);
}

std::vector<std::string> Reader::names(const std::string& group) const {
  const Handle opened(H5Gopen2(state_->file.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
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

bool Reader::has(const std::string& path) const { return state_->has(path); }

bool Reader::is_group(const std::string& path) const {
  if (!has(path)) return false;
  const Handle opened(H5Oopen(state_->file.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
  return opened && H5Iget_type(opened.get()) == H5I_GROUP;
}

DatasetInfo Reader::info(const std::string& path) const {
  return state_->info(path, state_->open(path));
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
      std::min(kMaxBytes, state_->file_bytes * kMostExpansion) / size;  // file sizes are below 2^53
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
  const Handle set = state_->open(path);
  const DatasetInfo found = state_->info(path, set);
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
  const Handle set = state_->open(path);
  const DatasetInfo found = state_->info(path, set);
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
