#pragma once

#include <immintrin.h>

#include <cstdint>

#include "runtime/base/bfloat16.h"
#include "runtime/base/half.h"

namespace outrider::engine::cpu::avx512 {

/// Sixteen floats in one register. See scalar/lanes.h for the meaning of each operation.
struct Lanes {
  /// The number of sums of attention that fit the registers together with their operands.
  static constexpr int kSums = 24;

  __m512 v;

  static Lanes broadcast(float x) { return {_mm512_set1_ps(x)}; }
  static Lanes broadcast(Half x) {
    return {_mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(x)))};
  }
  static Lanes zero() { return {_mm512_setzero_ps()}; }
  static Lanes load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Lanes load(const Half* p) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  static Lanes load(const Bfloat16* p) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(words), 16))};
  }
  static Lanes from_bytes(const std::uint8_t* p) {
    return {_mm512_cvtepi32_ps(
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))))};
  }
  static Lanes from_bytes(const std::int8_t* p) {
    return {_mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))))};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store(Half* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  }

  friend Lanes operator+(Lanes x, Lanes y) { return {_mm512_add_ps(x.v, y.v)}; }
  friend Lanes operator-(Lanes x, Lanes y) { return {_mm512_sub_ps(x.v, y.v)}; }
  friend Lanes operator*(Lanes x, Lanes y) { return {_mm512_mul_ps(x.v, y.v)}; }
  friend Lanes operator/(Lanes x, Lanes y) { return {_mm512_div_ps(x.v, y.v)}; }
  static Lanes fma(Lanes x, Lanes y, Lanes z) { return {_mm512_fmadd_ps(x.v, y.v, z.v)}; }
  static Lanes max(Lanes x, Lanes y) { return {_mm512_max_ps(x.v, y.v)}; }
  static Lanes min(Lanes x, Lanes y) { return {_mm512_min_ps(x.v, y.v)}; }
  static Lanes power_of_two(Lanes x) {
    const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(x.v), 23);
    return {_mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_set1_epi32(0x3f800000)))};
  }

  float sum() const {
    const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
    const __m256 s8 = _mm256_add_ps(_mm512_castps512_ps256(v), high);
    const __m128 s4 = _mm_add_ps(_mm256_castps256_ps128(s8), _mm256_extractf128_ps(s8, 1));
    const __m128 s2 = _mm_add_ps(s4, _mm_movehl_ps(s4, s4));
    return _mm_cvtss_f32(_mm_add_ss(s2, _mm_shuffle_ps(s2, s2, 1)));
  }
  float largest() const { return _mm512_reduce_max_ps(v); }
};

}  // namespace outrider::engine::cpu::avx512
