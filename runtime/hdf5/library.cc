#include "runtime/hdf5/library.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <stdexcept>

namespace outrider::hdf5 {
namespace {

/// A 2-byte float with float32's exponent.
Handle bfloat16_type() {
  Handle type(must(H5Tcopy(H5T_IEEE_F32LE)), H5Tclose);
  must(H5Tset_fields(type.get(), 15, 7, 8, 0, 7));  // sign; exponent at, bits; fraction at, bits
  must(H5Tset_size(type.get(), 2));
  must(H5Tset_ebias(type.get(), 127));
  return type;
}

struct TypeFacts {
  const char* name;
  std::size_t size;
};
constexpr std::array<TypeFacts, kNumberTypes> kTypes = {{{"uint8", 1},
                                                         {"uint16", 2},
                                                         {"int32", 4},
                                                         {"int64", 8},
                                                         {"uint64", 8},
                                                         {"float32", 4},
                                                         {"float64", 8},
                                                         {"bfloat16", 2}}};

}  // namespace

std::size_t size_of(NumberType type) { return kTypes[static_cast<std::size_t>(type)].size; }
const char* name_of(NumberType type) { return kTypes[static_cast<std::size_t>(type)].name; }

LibraryCall::LibraryCall() {
  must(H5open());
  must(H5PLget_loading_state(&plug_ins_));
  must(H5PLset_loading_state(0));
  must(H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_));
  must(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
}

LibraryCall::~LibraryCall() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
  H5PLset_loading_state(plug_ins_);
}

std::string hdf5_reason() {
  std::string text;
  const auto take_first = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
  return text.empty() ? "no reason given" : text;
}

hid_t must(hid_t id) {
  if (id < 0) throw std::runtime_error("HDF5: " + hdf5_reason());
  return id;
}

std::string memory_file_name() {
  static std::atomic<int> files = 0;
  return fmt::format("in memory {}", ++files);
}

Handle file_type(NumberType type) {
  const auto copy = [](hid_t id) { return Handle(must(H5Tcopy(id)), H5Tclose); };
  switch (type) {
    case NumberType::kUint8:
      return copy(H5T_STD_U8LE);
    case NumberType::kUint16:
      return copy(H5T_STD_U16LE);
    case NumberType::kInt32:
      return copy(H5T_STD_I32LE);
    case NumberType::kInt64:
      return copy(H5T_STD_I64LE);
    case NumberType::kUint64:
      return copy(H5T_STD_U64LE);
    case NumberType::kFloat32:
      return copy(H5T_IEEE_F32LE);
    case NumberType::kFloat64:
      return copy(H5T_IEEE_F64LE);
    case NumberType::kBfloat16:
      break;
  }
  return bfloat16_type();
}

}  // namespace outrider::hdf5
