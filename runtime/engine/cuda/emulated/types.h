#pragma once

#include <cstdint>

namespace outrider::engine::cuda::emulated {

/// LAUNCH, LAUNCH_TOGETHER, LAUNCH_EARLY.
enum class LaunchKind : std::uint8_t { kOrdinary, kTogether, kEarly };

// CUDA's types, as it aligns them.
// NOLINTBEGIN(readability-identifier-naming)

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  // Implicit, as CUDA's is.
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr float2 make_float2(float x, float y) { return {x, y}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

// NOLINTEND(readability-identifier-naming)

}  // namespace outrider::engine::cuda::emulated
