#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/bfloat16.h"

namespace outrider::hdf5 {

/// bfloat16 is not a type of HDF5: it is stored as a 2-byte float and never converted by HDF5.
enum class NumberType : std::uint8_t {
  kUint8,
  kUint16,
  kInt32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
  kBfloat16,
};
inline constexpr int kNumberTypes = 8;
std::size_t size_of(NumberType type);
const char* name_of(NumberType type);

template <typename T>
inline constexpr NumberType kNumberType = NumberType{255};
template <>
inline constexpr NumberType kNumberType<std::uint8_t> = NumberType::kUint8;
template <>
inline constexpr NumberType kNumberType<std::uint16_t> = NumberType::kUint16;
template <>
inline constexpr NumberType kNumberType<std::int32_t> = NumberType::kInt32;
template <>
inline constexpr NumberType kNumberType<std::int64_t> = NumberType::kInt64;
template <>
inline constexpr NumberType kNumberType<std::uint64_t> = NumberType::kUint64;
template <>
inline constexpr NumberType kNumberType<float> = NumberType::kFloat32;
template <>
inline constexpr NumberType kNumberType<double> = NumberType::kFloat64;
template <>
inline constexpr NumberType kNumberType<Bfloat16> = NumberType::kBfloat16;

using Dims = std::vector<std::uint64_t>;  // outermost first; empty: one number

}  // namespace outrider::hdf5
