#include "runtime/hdf5/plain_file.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/file_kind.h"
#include "runtime/hdf5/checksum.h"

namespace outrider::hdf5 {
namespace {

constexpr std::uint64_t kMaxChunkBytes = 64 << 20;

}  // namespace

PlainFile::PlainFile(const std::filesystem::path& path) : name_(path.string()) {
  const LibraryCall call;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw InputError(fmt::format("{}: expected an HDF5 file, found {}", name_, file_kind(path)));
  bytes_ = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", name_, error.message()));
  verify_checksum(path);
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  // Finished files never change, and some file systems do not support locks.
  must(H5Pset_file_locking(access.get(), false, true));
  open_file(name_, access);
}

PlainFile::PlainFile(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)), bytes_(bytes.size()) {
  const LibraryCall call;
  if (bytes.empty()) throw InputError(fmt::format("{}: is not an HDF5 file: empty", name_));
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  must(H5Pset_fapl_core(access.get(), 1 << 20, false));
  // The library copies the bytes; only its signature lacks const.
  must(H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size()));
  open_file(memory_file_name(), access);
}

void PlainFile::open_file(const std::string& file_name, const Handle& access) {
  file_ = Handle(H5Fopen(file_name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file_) throw InputError(fmt::format("{}: is not an HDF5 file: {}", name_, hdf5_reason()));
}

void PlainFile::refuse(const std::string& path, const std::string& what) const {
  throw InputError(fmt::format("{}: {}: {}", name_, path, what));
}

bool PlainFile::has(const std::string& path) const {
  const LibraryCall call;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    H5L_info_t link;
    if (H5Lget_info(file_.get(), path.substr(0, at).c_str(), &link, H5P_DEFAULT) < 0) return false;
    if (link.type != H5L_TYPE_HARD) return false;
  }
  return true;
}

Handle PlainFile::open(const std::string& path) const {
  const LibraryCall call;
  if (!has(path)) refuse(path, "expected this dataset, found none");
  Handle set(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) refuse(path, "cannot be opened as a dataset: " + hdf5_reason());
  const Handle layout(H5Dget_create_plist(set.get()), H5Pclose);
  if (!layout) refuse(path, "has no layout: " + hdf5_reason());
  check_layout(path, layout.get());
  check_filters(path, layout.get());
  return set;
}

void PlainFile::check_layout(const std::string& path, hid_t layout) const {
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

void PlainFile::check_filters(const std::string& path, hid_t layout) const {
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

Dims PlainFile::dims_of(const std::string& path, const Handle& set) const {
  const Handle space(H5Dget_space(set.get()), H5Sclose);
  const H5S_class_t kind = space ? H5Sget_simple_extent_type(space.get()) : H5S_NO_CLASS;
  if (kind == H5S_SCALAR) return {};
  hsize_t sizes[H5S_MAX_RANK];
  const int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space.get(), sizes, nullptr) : -1;
  if (rank < 1) refuse(path, "has no shape: " + hdf5_reason());
  return {sizes, sizes + rank};
}

DatasetInfo PlainFile::info(const std::string& path, const Handle& set) const {
  const LibraryCall call;
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

}  // namespace outrider::hdf5
