#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/engine/avx512/lanes.h"

namespace outrider::engine::avx512 {

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3.
struct Quants {
  static constexpr int kMostRows = 16;

  __m512i groups[8];

  template <int kBits>
  static Quants load(const std::uint8_t* p) {
    Quants q;
    if constexpr (kBits == 8) {
      for (int g = 0; g < 8; ++g) q.groups[g] = _mm512_loadu_si512(p + 64 * g);
      return q;
    }
    const __m512i low = _mm512_set1_epi8(15);
    for (int g = 0; g < 4; ++g) {
      const __m512i bytes = _mm512_loadu_si512(p + 64 * g);
      q.groups[g] = _mm512_and_si512(bytes, low);
      q.groups[4 + g] = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low);
    }
    if constexpr (kBits == 5) {
      const __m512i upper = _mm512_loadu_si512(p + 256);
      for (int g = 0; g < 8; ++g) q.add_upper(g, upper, g, 0x10);
    } else if constexpr (kBits == 6) {
      for (int g = 0; g < 8; ++g)
        q.add_upper(g, _mm512_loadu_si512(p + 256 + 64 * (g / 4)), 2 * (g % 4), 0x30);
    }
    return q;
  }

  template <int kBits, bool kAlone>
  Lanes dot(const std::int8_t* activations, std::int32_t start) const {
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
      sum = add_products(sum, activations, 0, 8);
    }
    return {_mm512_cvtepi32_ps(sum)};
  }

  template <int kBits>
  Lanes dot_halves(const std::int8_t* activations, std::int32_t first, std::int32_t last,
                   const std::int8_t* factors) const {
    const __m512i a = add_products(_mm512_set1_epi32(first), activations, 0, 4);
    const __m512i b = add_products(_mm512_set1_epi32(last), activations, 4, 8);
    return {
        _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_mullo_epi32(a, sixteen_bytes(factors)),
                                            _mm512_mullo_epi32(b, sixteen_bytes(factors + 16))))};
  }

 private:
  /// Bits `shift` and up of `bytes`, moved to bit 4 and masked.
  void add_upper(int g, __m512i bytes, int shift, int mask) {
    const __m512i moved = shift <= 4 ? _mm512_slli_epi16(bytes, static_cast<unsigned>(4 - shift))
                                     : _mm512_srli_epi16(bytes, static_cast<unsigned>(shift - 4));
    const __m512i upper = _mm512_and_si512(moved, _mm512_set1_epi8(static_cast<char>(mask)));
    groups[g] = _mm512_or_si512(groups[g], upper);
  }

  __m512i add_products(__m512i sum, const std::int8_t* activations, int begin, int end) const {
    for (int g = begin; g < end; ++g)
      sum = _mm512_dpbusd_epi32(sum, groups[g], broadcast_four(activations + 4 * g));
    return sum;
  }

  static __m512i broadcast_four(const std::int8_t* p) {
    int four;
    std::memcpy(&four, p, 4);
    return _mm512_set1_epi32(four);
  }
  static __m512i sixteen_bytes(const std::int8_t* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

inline std::int32_t quantise_sixteen(const float* x, float factor, std::int8_t* out) {
  const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(factor)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(q));
  return _mm512_reduce_add_epi32(q);
}

}  // namespace outrider::engine::avx512
