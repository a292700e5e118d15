#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/engine/cpu/avx2/avx2_lanes.h"
#include "runtime/engine/cpu/lanes/unrolled.h"
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

/// The weights of a group for eight outputs, unsigned.
template <int kBits>
struct Weights {
  __m256i weights;

  /// Sums of two products each, of 16 bits.
  __m256i times(__m256i four) const { return _mm256_maddubs_epi16(weights, four); }
};

/// Unsigned bytes would exceed 16 bits, so these are signed: 128 less. Their magnitudes are multiplied
/// by the activations with their signs: 2 * 128 * 127 = 32,512.
template <>
struct Weights<8> {
  __m256i weights;
  __m256i magnitudes;

  __m256i times(__m256i four) const {
    return _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(four, weights));
  }
};

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3; a group is unpacked just
/// before use, once for all rows of a tile.
/// @tparam kUnpacked  the weights are bytes that `unpack` wrote
template <bool kUnpacked>
struct BlockQuants {
  /// The number of rows whose products fit the registers together with their operands.
  static constexpr int most_rows(ScaleForm) { return 5; }
  static constexpr int most_pair_rows(ScaleForm) { return 0; }
  /// Four bits are unpacked as quickly as bytes are read, eight are no less work afterwards.
  static constexpr int rows_to_unpack(int bits) { return bits == 5 || bits == 6 ? 16 : 0; }
  using Unpacked = BlockQuants<true>;

  const std::uint8_t* bytes;

  template <int kBits>
  static BlockQuants of(const std::uint8_t* p) {
    return {p};
  }

  /// @param out  [8, 16, 4]
  template <int kBits>
  OUTRIDER_INLINE void unpack(std::uint8_t* out) const {
    unrolled<16>([&](int i) OUTRIDER_INLINE {
      const __m256i weights = group<kBits>(i / 2, i % 2).weights;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * i), weights);
    });
  }

  template <int kBits, int R>
  OUTRIDER_INLINE void dot(const std::int8_t* activations, const std::int32_t (&starts)[R],
                           Lanes (&out)[R]) const {
    Integers sums[R];
    // The starts of eight bits take 128 off each weight, which is done already.
    unrolled<R>([&](int r)
                    OUTRIDER_INLINE { sums[r] = Integers::broadcast(kBits == 8 ? 0 : starts[r]); });
    add_groups<kBits, 0, 8>(activations, sums);
    unrolled<R>([&](int r) OUTRIDER_INLINE { out[r] = sums[r].floats(); });
  }

  template <int kBits, int R>
  OUTRIDER_INLINE void dot_halves(const std::int8_t* activations, const BlockScale* rows,
                                  const std::int8_t* factors, Lanes (&out)[R]) const {
    Integers first[R];
    Integers last[R];
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      first[r] = Integers::broadcast(start_of_first<kBits>(rows[r]));
      last[r] = Integers::broadcast(start_of_last<kBits>(rows[r]));
    });
    add_groups<kBits, 0, 4>(activations, first);
    add_groups<kBits, 4, 8>(activations, last);
    const Integers of_first = Integers::from_bytes(factors);
    const Integers of_last = Integers::from_bytes(factors + 16);
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      out[r] = (first[r] * of_first + last[r] * of_last).floats();
    });
  }

 private:
  /// Adds the products with the groups [begin, end) to the sums of R rows.
  template <int kBits, int begin, int end, int R>
  OUTRIDER_INLINE void add_groups(const std::int8_t* activations, Integers (&sums)[R]) const {
    constexpr int kFit = groups_that_fit(kBits);
    unrolled<(end - begin) / kFit>([&](int part) OUTRIDER_INLINE {
      __m256i pairs[R][2];
      unrolled<kFit>([&](int i) OUTRIDER_INLINE {
        // Groups that share bytes follow each other where the whole block is added.
        const int next = part * kFit + i;
        const int g = end - begin < 8 || kBits == 8 ? begin + next : next / 2 + 4 * (next % 2);
        const Weights<kBits> weights[2] = {group<kBits>(g, 0), group<kBits>(g, 1)};
        unrolled<R>([&](int r) OUTRIDER_INLINE {
          const __m256i four = broadcast_four(activations + 32 * r + 4 * g);
          unrolled<2>([&](int h) OUTRIDER_INLINE {
            const __m256i products = weights[h].times(four);
            pairs[r][h] = i == 0 ? products : sum_16(pairs[r][h], products);
          });
        });
      });
      const __m256i ones = _mm256_set1_epi16(1);
      unrolled<R>([&](int r) OUTRIDER_INLINE {
        unrolled<2>([&](int h) OUTRIDER_INLINE {
          const __m256i products = _mm256_madd_epi16(pairs[r][h], ones);
          __m256i& sum = sums[r].half[h];
          sum = kFit == 1 ? sum_32(sum, products) : _mm256_add_epi32(sum, products);
        });
      });
    });
  }

  /// Sums of integers of 16 and 32 bits. Inline assembly because compilers turn a chain of additions
  /// into a tree, whose leaves they keep in memory: a third of the time of a product.
  OUTRIDER_INLINE static __m256i sum_16(__m256i a, __m256i b) {
    asm("vpaddw %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }
  OUTRIDER_INLINE static __m256i sum_32(__m256i a, __m256i b) {
    asm("vpaddd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }

  /// The number of groups whose products fit 16 bits: 8 * 2 * 15 * 127 = 30,480, 4 * 2 * 31 * 127 =
  /// 31,496, 2 * 2 * 63 * 127 = 32,004, and see Weights<8>. Two bits are added by halves of a block.
  static constexpr int groups_that_fit(int bits) {
    return bits == 4 ? 8 : bits == 5 || bits == 2 ? 4 : bits == 6 ? 2 : 1;
  }

  /// Group g of the outputs 8 h … 8 h + 7.
  template <int kBits>
  OUTRIDER_INLINE Weights<kBits> group(int g, int h) const {
    if constexpr (kUnpacked) {
      return {load(64 * g, h)};
    } else if constexpr (kBits == 8) {
      const __m256i weights = _mm256_xor_si256(load(64 * g, h), _mm256_set1_epi8(-128));
      return {weights, _mm256_abs_epi8(weights)};
    } else if constexpr (kBits == 2) {
      return {_mm256_and_si256(_mm256_srli_epi16(load(64 * (g / 4), h), 2 * (g % 4)),
                               _mm256_set1_epi8(3))};
    } else {
      const __m256i both = load(64 * (g % 4), h);
      const __m256i low =
          _mm256_and_si256(g < 4 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(15));
      return {_mm256_or_si256(low, upper<kBits>(g, h))};
    }
  }

  /// The bits of a group from bit 4 upwards.
  template <int kBits>
  OUTRIDER_INLINE __m256i upper(int g, int h) const {
    if constexpr (kBits == 4) return _mm256_setzero_si256();
    if constexpr (kBits == 5) return shifted(load(256, h), g, 0x10);
    return shifted(load(256 + 64 * (g / 4), h), 2 * (g % 4), 0x30);
  }

  /// The bits from `shift` upwards, moved to bit 4 and masked.
  OUTRIDER_INLINE static __m256i shifted(__m256i all, int shift, int mask) {
    const __m256i moved =
        shift <= 4 ? _mm256_slli_epi16(all, 4 - shift) : _mm256_srli_epi16(all, shift - 4);
    return _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(mask)));
  }

  __m256i load(int offset, int h) const { return load_bytes(bytes + offset + 32 * h); }
};

using Quants = BlockQuants<false>;

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
