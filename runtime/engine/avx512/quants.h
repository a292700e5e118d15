#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/engine/avx512/lanes.h"

namespace outrider::engine::avx512 {

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3.
struct Quants {
  static constexpr int kMostRows = 16;

  __m512i groups[8];

  static Quants load_u4(const std::uint8_t* p) {
    const __m512i low = _mm512_set1_epi8(15);
    Quants q;
    for (int j = 0; j < 4; ++j) {
      const __m512i bytes = _mm512_loadu_si512(p + 64 * j);
      q.groups[j] = _mm512_and_si512(bytes, low);
      q.groups[4 + j] = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low);
    }
    return q;
  }
  static Quants load_u8(const std::uint8_t* p) {
    Quants q;
    for (int j = 0; j < 8; ++j) q.groups[j] = _mm512_loadu_si512(p + 64 * j);
    return q;
  }

  template <bool kAlone>
  Lanes dot_u4(const std::int8_t* activations, std::int32_t start) const {
    __m512i sum = _mm512_set1_epi32(start);
    if constexpr (kAlone) {
      // Each vpdpbusd waits for the one before: two chains halve the wait.
      __m512i odd = _mm512_setzero_si512();
      for (int g = 0; g < 8; g += 2) {
        sum = _mm512_dpbusd_epi32(sum, groups[g], broadcast_four(activations + 4 * g));
        odd = _mm512_dpbusd_epi32(odd, groups[g + 1], broadcast_four(activations + 4 * g + 4));
      }
      sum = _mm512_add_epi32(sum, odd);
    } else {
      for (int g = 0; g < 8; ++g)
        sum = _mm512_dpbusd_epi32(sum, groups[g], broadcast_four(activations + 4 * g));
    }
    return {_mm512_cvtepi32_ps(sum)};
  }
  template <bool kAlone>
  Lanes dot_u8(const std::int8_t* activations, std::int32_t start) const {
    return dot_u4<kAlone>(activations, start);
  }

 private:
  static __m512i broadcast_four(const std::int8_t* p) {
    int four;
    std::memcpy(&four, p, 4);
    return _mm512_set1_epi32(four);
  }
};

inline std::int32_t quantise_block(const float* x, float factor, std::int8_t* out) {
  const __m512 f = _mm512_set1_ps(factor);
  const __m512i a = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), f));
  const __m512i b = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + 16), f));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(a));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16), _mm512_cvtepi32_epi8(b));
  return _mm512_reduce_add_epi32(_mm512_add_epi32(a, b));
}

}  // namespace outrider::engine::avx512
