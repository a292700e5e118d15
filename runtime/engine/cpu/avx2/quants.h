#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/engine/cpu/avx2/lanes.h"
#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu::avx2 {

inline __m256i load_bytes(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

/// Four activations in every 32-bit lane.
inline __m256i broadcast_four(const std::int8_t* p) {
  int four;
  std::memcpy(&four, p, 4);
  return _mm256_set1_epi32(four);
}

/// Sixteen 32-bit integers, outputs 0–7 and 8–15.
struct Integers {
  __m256i half[2];

  static Integers broadcast(std::int32_t x) {
    return {{_mm256_set1_epi32(x), _mm256_set1_epi32(x)}};
  }
  static Integers from_bytes(const std::int8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {{_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))}};
  }
  friend Integers operator+(const Integers& a, const Integers& b) {
    return {{_mm256_add_epi32(a.half[0], b.half[0]), _mm256_add_epi32(a.half[1], b.half[1])}};
  }
  friend Integers operator*(const Integers& a, const Integers& b) {
    return {{_mm256_mullo_epi32(a.half[0], b.half[0]), _mm256_mullo_epi32(a.half[1], b.half[1])}};
  }
  Lanes floats() const { return {_mm256_cvtepi32_ps(half[0]), _mm256_cvtepi32_ps(half[1])}; }
};

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3.
struct Quants {
  static constexpr int most_rows(ScaleForm) { return 4; }
  static constexpr int most_pair_rows(ScaleForm) { return 0; }

  __m256i groups[8][2];

  template <int kBits>
  static Quants of(const std::uint8_t* p) {
    Quants q;
    for (int h = 0; h < 2; ++h) {
      const std::uint8_t* half = p + 32 * h;
      if constexpr (kBits == 8) {
        for (int g = 0; g < 8; ++g) q.groups[g][h] = load_bytes(half + 64 * g);
        continue;
      }
      const __m256i low = _mm256_set1_epi8(15);
      for (int g = 0; g < 4; ++g) {
        const __m256i bytes = load_bytes(half + 64 * g);
        q.groups[g][h] = _mm256_and_si256(bytes, low);
        q.groups[4 + g][h] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);
      }
      if constexpr (kBits == 5) {
        for (int g = 0; g < 8; ++g) q.add_upper(g, h, load_bytes(half + 256), g, 0x10);
      } else if constexpr (kBits == 6) {
        for (int g = 0; g < 8; ++g)
          q.add_upper(g, h, load_bytes(half + 256 + 64 * (g / 4)), 2 * (g % 4), 0x30);
      }
    }
    return q;
  }

  template <int kBits, int R>
  void dot(const std::int8_t* activations, const std::int32_t (&starts)[R], Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r)
      out[r] = (Integers::broadcast(starts[r]) + sum<kBits>(activations + 32 * r, 0, 8)).floats();
  }

  template <int kBits, int R>
  void dot_halves(const std::int8_t* activations, const BlockScale* rows,
                  const std::int8_t* factors, Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r) {
      const Integers first =
          Integers::broadcast(rows[r].minus_32_first) + sum<kBits>(activations + 32 * r, 0, 4);
      const Integers last =
          Integers::broadcast(rows[r].minus_32_last) + sum<kBits>(activations + 32 * r, 4, 8);
      out[r] = (first * Integers::from_bytes(factors) + last * Integers::from_bytes(factors + 16))
                   .floats();
    }
  }

 private:
  /// The bits of `bytes` from `shift` upwards, moved to bit 4 and masked.
  void add_upper(int g, int h, __m256i bytes, int shift, int mask) {
    const __m256i moved =
        shift <= 4 ? _mm256_slli_epi16(bytes, 4 - shift) : _mm256_srli_epi16(bytes, shift - 4);
    groups[g][h] = _mm256_or_si256(
        groups[g][h], _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(mask))));
  }

  template <int kBits>
  Integers sum(const std::int8_t* activations, int begin, int end) const {
    return kBits == 8 ? sum_wide(activations, begin, end)
                      : sum_narrow<kBits>(activations, begin, end);
  }

  /// The number of groups whose pairs of products fit 16 bits: 8 * 2 * 15 * 127 = 30,480, 4 * 2 *
  /// 31 * 127 = 31,496, 2 * 2 * 63 * 127 = 32,004.
  template <int kBits>
  Integers sum_narrow(const std::int8_t* activations, int begin, int end) const {
    constexpr int kFit = kBits == 4 ? 8 : kBits == 5 ? 4 : 2;
    const __m256i ones = _mm256_set1_epi16(1);
    Integers total = Integers::broadcast(0);
    for (int first = begin; first < end; first += kFit) {
      __m256i pairs[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
      for (int g = first; g < end && g < first + kFit; ++g) {
        const __m256i four = broadcast_four(activations + 4 * g);
        for (int h = 0; h < 2; ++h)
          pairs[h] = _mm256_add_epi16(pairs[h], _mm256_maddubs_epi16(groups[g][h], four));
      }
      total =
          total + Integers{{_mm256_madd_epi16(pairs[0], ones), _mm256_madd_epi16(pairs[1], ones)}};
    }
    return total;
  }

  /// Bytes up to 255 would saturate maddubs (255 * 127 * 2), so they are first widened to 16 bits.
  Integers sum_wide(const std::int8_t* activations, int begin, int end) const {
    const __m256i low = _mm256_set1_epi16(255);
    Integers total = Integers::broadcast(0);
    for (int g = begin; g < end; ++g) {
      const __m256i four = broadcast_four(activations + 4 * g);
      const __m256i even = _mm256_srai_epi16(_mm256_slli_epi16(four, 8), 8);
      const __m256i odd = _mm256_srai_epi16(four, 8);
      for (int h = 0; h < 2; ++h) {
        const __m256i w = groups[g][h];
        total.half[h] =
            _mm256_add_epi32(total.half[h], _mm256_madd_epi16(_mm256_and_si256(w, low), even));
        total.half[h] =
            _mm256_add_epi32(total.half[h], _mm256_madd_epi16(_mm256_srli_epi16(w, 8), odd));
      }
    }
    return total;
  }
};

inline std::int32_t quantise_sixteen(const float* x, float factor, std::int8_t* out) {
  const __m256 f = _mm256_set1_ps(factor);
  const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), f));
  const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8), f));
  // packs works within halves of a register; the permutation puts groups of four back in order.
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
  const __m128i bytes =
      _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  const __m256i eight = _mm256_add_epi32(a, b);
  const __m128i s4 =
      _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i s2 = _mm_add_epi32(s4, _mm_shuffle_epi32(s4, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(s2, _mm_shuffle_epi32(s2, 0xb1)));
}

}  // namespace outrider::engine::cpu::avx2
