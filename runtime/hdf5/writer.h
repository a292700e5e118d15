#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/hdf5/number_types.h"

namespace outrider::hdf5 {

/// kPlain: uncompressed. kPacked: shuffled and deflated; for ids, flags and other repetitive data.
enum class Packing : std::uint8_t { kPlain, kPacked };

/// Builds an HDF5 file in memory: the same bytes for the same calls, without dates. Groups are created
/// with the datasets in them ("/output/tokens").
class Writer {
 public:
  Writer();
  ~Writer();

  /// @param values  row-major, as many as `dims` say
  template <typename T>
  void add(const std::string& path, const Dims& dims, std::span<const T> values, Packing packing) {
    add_numbers(path, kNumberType<T>, dims, std::as_bytes(values), packing);
  }
  /// A single number.
  template <typename T>
  void add_number(const std::string& path, T number) {
    add(path, {}, std::span<const T>(&number, 1), Packing::kPlain);
  }
  void add_numbers(const std::string& path, NumberType type, const Dims& dims,
                   std::span<const std::byte> bytes, Packing packing);
  void add_text(const std::string& path, std::string_view text);

  /// The bytes of the file. Nothing can be added afterwards.
  std::vector<std::byte> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace outrider::hdf5
