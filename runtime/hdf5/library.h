#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "runtime/hdf5/numbers.h"

// The only file that includes the HDF5 library's header; for hdf5_*.cc and tests alone. What we write is plain:
// groups and datasets of little-endian numbers or one text, hard links, at most shuffle and deflate.
// Not for several threads at once, as the library is not.
namespace outrider::hdf5 {

/// Keeps the library quiet and closed: errors are ours to report, and no file may make it load code.
void set_up_hdf5();

/// The library's own words about the last failure, the innermost ones.
std::string hdf5_reason();

/// For calls that fail only when we have made a mistake or memory is out.
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

/// A name that no other file in memory has: the library takes files of one name for the same.
std::string memory_file_name();

/// The type as it is in files, and in memory too: the library never converts.
Handle file_type(NumberType type);

}  // namespace outrider::hdf5
