#include "runtime/hdf5/writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/hdf5/library.h"

namespace outrider::hdf5 {
namespace {

Handle text_type(std::size_t length) {
  Handle type(must(H5Tcopy(H5T_C_S1)), H5Tclose);
  must(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)));
  must(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  must(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  return type;
}

std::uint64_t product(const Dims& dims) {
  std::uint64_t count = 1;
  for (const std::uint64_t dim : dims) count *= dim;
  return count;
}

/// The storage layout of a dataset. Small ones, and plain ones that are written whole, need no chunks.
Handle layout_of(const Dims& dims, std::size_t size, Packing packing) {
  constexpr std::uint64_t kChunkBytes = 1 << 20;
  constexpr std::uint64_t kWorthPacking = 64;
  Handle layout(must(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  must(H5Pset_obj_track_times(layout.get(), false));
  const std::uint64_t count = product(dims);
  if (packing == Packing::kPlain || dims.empty() || count * size < kWorthPacking) return layout;
  const std::uint64_t row_bytes = count / dims[0] * size;
  std::vector<hsize_t> chunk(dims.begin(), dims.end());
  chunk[0] = std::clamp<std::uint64_t>(kChunkBytes / row_bytes, 1, dims[0]);
  must(H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data()));
  must(H5Pset_shuffle(layout.get()));
  must(H5Pset_deflate(layout.get(), 6));
  return layout;
}

Handle space_of(const Dims& dims) {
  if (dims.empty()) return {must(H5Screate(H5S_SCALAR)), H5Sclose};
  const std::vector<hsize_t> sizes(dims.begin(), dims.end());
  return {must(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr)), H5Sclose};
}

}  // namespace

struct Writer::State {
  Handle file;

  void make_groups(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
      const std::string group = path.substr(0, at);
      if (H5Lexists(file.get(), group.c_str(), H5P_DEFAULT) > 0) continue;
      const Handle how(must(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
      must(H5Pset_obj_track_times(how.get(), false));
      const Handle made(
          must(H5Gcreate2(file.get(), group.c_str(), H5P_DEFAULT, how.get(), H5P_DEFAULT)),
          H5Gclose);
    }
  }

  void write(const std::string& path, const Handle& type, const Handle& space, const Handle& layout,
             const void* bytes) {
    make_groups(path);
    const Handle set(must(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                     layout.get(), H5P_DEFAULT)),
                     H5Dclose);
    must(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
  }
};

Writer::Writer() : state_(std::make_unique<State>()) {
  const LibraryCall call;
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  must(H5Pset_fapl_core(access.get(), 1 << 20, false));
  const Handle how(must(H5Pcreate(H5P_FILE_CREATE)), H5Pclose);
  must(H5Pset_obj_track_times(how.get(), false));
  const std::string name = memory_file_name();
  state_->file =
      Handle(must(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, how.get(), access.get())), H5Fclose);
  // The compact format for everything except the superblock, which would be marked as open for
  // writing and make the copy by H5Fget_file_image of version 1.10 invalid.
  must(H5Fset_libver_bounds(state_->file.get(), H5F_LIBVER_V110, H5F_LIBVER_V110));
}

Writer::~Writer() = default;

void Writer::add_numbers(const std::string& path, NumberType type, const Dims& dims,
                         std::span<const std::byte> bytes, Packing packing) {
  const LibraryCall call;
  if (product(dims) * size_of(type) != bytes.size()) {
    throw std::logic_error(
        fmt::format("{}: {} bytes for {} {}", path, bytes.size(), product(dims), name_of(type)));
  }
  state_->write(path, file_type(type), space_of(dims), layout_of(dims, size_of(type), packing),
                bytes.data());
}

void Writer::add_text(const std::string& path, std::string_view text) {
  const LibraryCall call;
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  state_->write(path, text_type(padded.size()), space_of({}),
                layout_of({}, padded.size(), Packing::kPlain), padded.data());
}

std::vector<std::byte> Writer::finish() {
  const LibraryCall call;
  const hid_t file = state_->file.get();
  must(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const ssize_t size = must(H5Fget_file_image(file, nullptr, 0));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  must(H5Fget_file_image(file, bytes.data(), bytes.size()));
  state_->file = Handle();
  return bytes;
}

}  // namespace outrider::hdf5
