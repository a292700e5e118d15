#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "runtime/hdf5/number_types.h"

// The only file that includes the HDF5 library's header; for this folder and tests only. Our files are
// plain: groups, hard links, and datasets of little-endian numbers or one text with at most shuffle and
// deflate. Not thread-safe, like the library.
namespace outrider::hdf5 {

/// While it lives the library prints no errors and loads no plug-ins, so that no file can make it load code. Both are
/// settings of the whole process, which may use the library too: they are as before afterwards. Each function that
/// others call has one.
class LibraryCall {
 public:
  LibraryCall();
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
  unsigned plug_ins_ = 0;
};

/// The library's innermost message about the last failure.
std::string hdf5_reason();

/// Checks the result of a call that fails only by a bug or without memory.
/// @throws std::runtime_error if `id` is negative
hid_t must(hid_t id);

/// Owns one of the library's ids.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// A unique name for a file in memory: the library treats files of one name as the same.
std::string memory_file_name();

/// The type in files, also used in memory, so that the library never converts.
Handle file_type(NumberType type);

}  // namespace outrider::hdf5
