#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/engine/avx2/lanes.h"

namespace outrider::engine::avx2 {

inline __m256i load_bytes(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

/// Four activations in every 32-bit lane.
inline __m256i broadcast_four(const std::int8_t* p) {
  int four;
  std::memcpy(&four, p, 4);
  return _mm256_set1_epi32(four);
}

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3; outputs 0–7 and 8–15 lie in
/// two registers.
struct Quants {
  static constexpr int kMostRows = 4;

  __m256i groups[8][2];

  static Quants load_u4(const std::uint8_t* p) {
    const __m256i low = _mm256_set1_epi8(15);
    Quants q;
    for (int j = 0; j < 4; ++j) {
      for (int h = 0; h < 2; ++h) {
        const __m256i bytes = load_bytes(p + 64 * j + 32 * h);
        q.groups[j][h] = _mm256_and_si256(bytes, low);
        q.groups[4 + j][h] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);
      }
    }
    return q;
  }
  static Quants load_u8(const std::uint8_t* p) {
    Quants q;
    for (int j = 0; j < 8; ++j)
      for (int h = 0; h < 2; ++h) q.groups[j][h] = load_bytes(p + 64 * j + 32 * h);
    return q;
  }

  /// Pairs of products fit 16 bits, and so does their sum over the block: 16 * 15 * 127 = 30,480.
  template <bool kAlone>
  Lanes dot_u4(const std::int8_t* activations, std::int32_t start) const {
    __m256i pairs[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int g = 0; g < 8; ++g) {
      const __m256i four = broadcast_four(activations + 4 * g);
      for (int h = 0; h < 2; ++h)
        pairs[h] = _mm256_add_epi16(pairs[h], _mm256_maddubs_epi16(groups[g][h], four));
    }
    const __m256i ones = _mm256_set1_epi16(1);
    return finish(_mm256_madd_epi16(pairs[0], ones), _mm256_madd_epi16(pairs[1], ones), start);
  }
  /// maddubs would saturate on 255 * 127 * 2, so the bytes are widened to 16 bits first.
  template <bool kAlone>
  Lanes dot_u8(const std::int8_t* activations, std::int32_t start) const {
    const __m256i low = _mm256_set1_epi16(255);
    __m256i sums[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int g = 0; g < 8; ++g) {
      const __m256i four = broadcast_four(activations + 4 * g);
      const __m256i even = _mm256_srai_epi16(_mm256_slli_epi16(four, 8), 8);
      const __m256i odd = _mm256_srai_epi16(four, 8);
      for (int h = 0; h < 2; ++h) {
        const __m256i w = groups[g][h];
        sums[h] = _mm256_add_epi32(sums[h], _mm256_madd_epi16(_mm256_and_si256(w, low), even));
        sums[h] = _mm256_add_epi32(sums[h], _mm256_madd_epi16(_mm256_srli_epi16(w, 8), odd));
      }
    }
    return finish(sums[0], sums[1], start);
  }

 private:
  static Lanes finish(__m256i a, __m256i b, std::int32_t start) {
    const __m256i offset = _mm256_set1_epi32(start);
    return {_mm256_cvtepi32_ps(_mm256_add_epi32(a, offset)),
            _mm256_cvtepi32_ps(_mm256_add_epi32(b, offset))};
  }
};

inline std::int32_t quantise_block(const float* x, float factor, std::int8_t* out) {
  const __m256 f = _mm256_set1_ps(factor);
  const auto eight = [&](int i) {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), f));
  };
  const __m256i ab = _mm256_packs_epi32(eight(0), eight(8));
  const __m256i cd = _mm256_packs_epi32(eight(16), eight(24));
  // packs works within halves; the permutation puts the groups of four back in order.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(ab, cd), order);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  const __m128i s4 =
      _mm_add_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1));
  const __m128i s2 = _mm_add_epi32(s4, _mm_shuffle_epi32(s4, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(s2, _mm_shuffle_epi32(s2, 0xb1)));
}

}  // namespace outrider::engine::avx2
