#pragma once

#include <cstdint>

#include "runtime/engine/cpu/avx512/avx512_lanes.h"
#include "runtime/engine/cpu/lanes/unrolled.h"
#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu::avx512 {

/// See scalar/quants.h. Group g of a block is its inputs 4 g … 4 g + 3; a group is unpacked just
/// before use, which leaves the registers to the rows.
struct Quants {
  /// The number of rows whose sums fit the registers together with their operands.
  static constexpr int most_rows(ScaleForm form) { return has_halves(form) ? 8 : 12; }
  /// The number of rows for two panels together; 0: one at a time. With a minimum or a second scale
  /// the multipliers are the limit, and pairs gain nothing.
  static constexpr int most_pair_rows(ScaleForm form) { return form == ScaleForm::kHalf ? 6 : 0; }
  static constexpr int rows_to_unpack(int /*bits*/) { return 0; }

  const std::uint8_t* packed;

  template <int kBits>
  static Quants of(const std::uint8_t* p) {
    return {p};
  }

  template <int kBits, int R>
  OUTRIDER_INLINE void dot(const std::int8_t* activations, const std::int32_t (&starts)[R],
                           Lanes (&out)[R]) const {
    // Each vpdpbusd depends on the one before; one or two rows use two chains each.
    constexpr int kChains = R < 3 ? 2 : 1;
    __m512i sums[kChains][R];
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      sums[0][r] = _mm512_set1_epi32(starts[r]);
      if constexpr (kChains == 2) sums[1][r] = _mm512_setzero_si512();
    });
    for_groups<kBits>([&](int g, __m512i weights) OUTRIDER_INLINE {
      add_products(g, weights, activations, sums[g / 4 % kChains]);
    });
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      if constexpr (kChains == 2) sums[0][r] = _mm512_add_epi32(sums[0][r], sums[1][r]);
      out[r] = {_mm512_cvtepi32_ps(sums[0][r])};
    });
  }

  /// `dot` with the blocks of two panels. One broadcast of four activations serves both: products
  /// that read them from memory use up the load ports before the multipliers.
  /// @param out  [2, R]
  template <int kBits, int R>
  OUTRIDER_INLINE static void dot_pair(const Quants& first, const Quants& second,
                                       const std::int8_t* activations,
                                       const std::int32_t (&starts)[R], Lanes (&out)[2][R]) {
    __m512i sums[2][R];
    unrolled<R>([&](int r)
                    OUTRIDER_INLINE { sums[0][r] = sums[1][r] = _mm512_set1_epi32(starts[r]); });
    unrolled<8>([&](int i) OUTRIDER_INLINE {
      const int g = group_in_order<kBits>(i);
      const __m512i weights[2] = {first.group<kBits>(g), second.group<kBits>(g)};
      unrolled<R>([&](int r) OUTRIDER_INLINE {
        const __m512i four = broadcast(activations + 32 * r + 4 * g);
        sums[0][r] = _mm512_dpbusd_epi32(sums[0][r], weights[0], four);
        sums[1][r] = _mm512_dpbusd_epi32(sums[1][r], weights[1], four);
      });
    });
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      out[0][r] = {_mm512_cvtepi32_ps(sums[0][r])};
      out[1][r] = {_mm512_cvtepi32_ps(sums[1][r])};
    });
  }

  template <int kBits, int R>
  OUTRIDER_INLINE void dot_halves(const std::int8_t* activations, const BlockScale* rows,
                                  const std::int8_t* factors, Lanes (&out)[R]) const {
    __m512i first[R];
    __m512i last[R];
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      first[r] = _mm512_set1_epi32(start_of_first<kBits>(rows[r]));
    });
    unrolled<R>(
        [&](int r) OUTRIDER_INLINE { last[r] = _mm512_set1_epi32(start_of_last<kBits>(rows[r])); });
    for_groups<kBits>([&](int g, __m512i weights) OUTRIDER_INLINE {
      add_products(g, weights, activations, g < 4 ? first : last);
    });
    unrolled<R>([&](int r) OUTRIDER_INLINE { out[r] = weighted(first[r], last[r], factors); });
  }

  template <int kBits>
  OUTRIDER_INLINE void unpack(std::uint8_t* out) const {
    for_groups<kBits>([&](int g, __m512i weights)
                          OUTRIDER_INLINE { _mm512_storeu_si512(out + 64 * g, weights); });
  }
  static Lanes finish(const std::int32_t* sums, std::int32_t start) {
    return {_mm512_cvtepi32_ps(started(sums, start))};
  }
  template <int kBits>
  static Lanes finish_halves(const std::int32_t* first, const std::int32_t* last,
                             const BlockScale& row, const std::int8_t* factors) {
    return weighted(started(first, start_of_first<kBits>(row)),
                    started(last, start_of_last<kBits>(row)), factors);
  }

 private:
  /// Calls visit(g, weights) for every group.
  template <int kBits, class Visit>
  OUTRIDER_INLINE void for_groups(const Visit& visit) const {
    unrolled<8>([&](int i) OUTRIDER_INLINE {
      const int g = group_in_order<kBits>(i);
      visit(g, group<kBits>(g));
    });
  }

  /// Groups that share bytes follow each other.
  template <int kBits>
  OUTRIDER_INLINE static constexpr int group_in_order(int i) {
    return kBits == 8 ? i : i / 2 + 4 * (i % 2);
  }

  /// The weights of group g.
  template <int kBits>
  OUTRIDER_INLINE __m512i group(int g) const {
    if constexpr (kBits == 8) return bytes(64 * g);
    if constexpr (kBits == 2)
      return _mm512_and_si512(
          _mm512_srli_epi16(bytes(64 * (g / 4)), static_cast<unsigned>(2 * (g % 4))),
          _mm512_set1_epi8(3));
    const __m512i both = bytes(64 * (g % 4));
    const __m512i low =
        _mm512_and_si512(g < 4 ? both : _mm512_srli_epi16(both, 4), _mm512_set1_epi8(15));
    return _mm512_or_si512(low, upper<kBits>(g));
  }

  /// The bits of group g from bit 4 upwards.
  template <int kBits>
  __m512i upper(int g) const {
    if constexpr (kBits == 4) return _mm512_setzero_si512();
    if constexpr (kBits == 5) return shifted(bytes(256), g, 0x10);
    return shifted(bytes(256 + 64 * (g / 4)), 2 * (g % 4), 0x30);
  }

  /// The bits from `shift` upwards, moved to bit 4 and masked.
  static __m512i shifted(__m512i all, int shift, int mask) {
    const __m512i moved = shift <= 4 ? _mm512_slli_epi16(all, static_cast<unsigned>(4 - shift))
                                     : _mm512_srli_epi16(all, static_cast<unsigned>(shift - 4));
    return _mm512_and_si512(moved, _mm512_set1_epi8(static_cast<char>(mask)));
  }

  template <int R>
  OUTRIDER_INLINE static void add_products(int g, __m512i weights, const std::int8_t* activations,
                                           __m512i (&sums)[R]) {
    unrolled<R>([&](int r) OUTRIDER_INLINE {
      add_products(sums[r], weights, activations + 32 * r + 4 * g);
    });
  }

  __m512i bytes(int offset) const { return _mm512_loadu_si512(packed + offset); }
  /// vpdpbusd with four activations for all lanes. Inline assembly because compilers emit a
  /// separate load for what the instruction can read from memory itself: a tenth of the time of a
  /// product.
  OUTRIDER_INLINE static void add_products(__m512i& sum, __m512i weights, const std::int8_t* four) {
    using Four [[gnu::may_alias]] = int;
    asm("vpdpbusd %2%{1to16%}, %1, %0"
        : "+v"(sum)
        : "v"(weights), "m"(*reinterpret_cast<const Four*>(four)));
  }
  /// Four activations in all lanes. Inline assembly because compilers would read them once for each
  /// product, from memory.
  OUTRIDER_INLINE static __m512i broadcast(const std::int8_t* four) {
    using Four [[gnu::may_alias]] = int;
    __m512i lanes;
    asm("vpbroadcastd %1, %0" : "=v"(lanes) : "m"(*reinterpret_cast<const Four*>(four)));
    return lanes;
  }
  static __m512i started(const std::int32_t* sums, std::int32_t start) {
    return _mm512_add_epi32(_mm512_loadu_si512(sums), _mm512_set1_epi32(start));
  }
  static Lanes weighted(__m512i first, __m512i last, const std::int8_t* factors) {
    return {_mm512_cvtepi32_ps(
        _mm512_add_epi32(_mm512_mullo_epi32(first, sixteen_bytes(factors)),
                         _mm512_mullo_epi32(last, sixteen_bytes(factors + 16))))};
  }
  static __m512i sixteen_bytes(const std::int8_t* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

inline std::int32_t quantise_sixteen(const float* x, float factor, std::int8_t* out) {
  const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(factor)));
  const __m128i bytes = _mm512_cvtepi32_epi8(q);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  // The sum of bytes made unsigned by adding 128 to each of the sixteen.
  const __m128i halves =
      _mm_sad_epu8(_mm_xor_si128(bytes, _mm_set1_epi8(-128)), _mm_setzero_si128());
  return _mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4) - 16 * 128;
}

}  // namespace outrider::engine::cpu::avx512
