#include "runtime/cost/product_rate.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>

#include "runtime/base/stopwatch.h"
#include "runtime/engine/thread_team.h"

namespace outrider::cost {
namespace {

// Independent sums, which hide an instruction's latency (five cycles, two begun in each), and which registers can hold.
constexpr int kSums = 12;
constexpr int kSteps = 100'000;  // some hundred microseconds

/// Adds kSteps products of two vectors to each of kSums sums. @return a number that depends on all, so that the compiler
/// keeps them
using Products = std::int32_t (*)();

__attribute__((target("avx512f,avx512vnni"))) std::int32_t by_avx512() {
  __m512i sums[kSums], x = _mm512_set1_epi8(1), w = _mm512_set1_epi8(1);
  for (int i = 0; i < kSums; ++i) sums[i] = _mm512_set1_epi32(i);  // equal ones are computed once
  for (int step = 0; step < kSteps; ++step) {
    asm volatile("" : "+v"(x), "+v"(w));  // other numbers, for all that the compiler knows
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, w, x);
  }
  __m512i all = sums[0];
  for (int i = 1; i < kSums; ++i) all = _mm512_add_epi32(all, sums[i]);
  alignas(64) std::int32_t lanes[16];
  _mm512_store_si512(lanes, all);
  return lanes[0];
}

__attribute__((target("avx2"))) std::int32_t by_avx2() {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums[kSums], x = _mm256_set1_epi8(1), w = _mm256_set1_epi8(1);
  for (int i = 0; i < kSums; ++i) sums[i] = _mm256_set1_epi32(i);
  for (int step = 0; step < kSteps; ++step) {
    for (__m256i& sum : sums) {
      // Of each: products of the same numbers are made once.
      asm volatile("" : "+x"(x), "+x"(w));
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(w, x), ones));
    }
  }
  __m256i all = sums[0];
  for (int i = 1; i < kSums; ++i) all = _mm256_add_epi32(all, sums[i]);
  return _mm256_extract_epi32(all, 0);
}

}  // namespace

double product_rate(std::string_view isa, int threads, int tries) {
  const bool is_avx512 = isa == "avx512";
  if (!is_avx512 && isa != "avx2") return 0;
  const Products products = is_avx512 ? by_avx512 : by_avx2;
  const double of_run = static_cast<double>(kSteps) * kSums * (is_avx512 ? 64 : 32) * threads;
  engine::ThreadTeam team(threads);
  std::atomic<std::int32_t> total{0};
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    const Stopwatch watch;
    team.run([&](int) { total += products(); });
    best = std::max(best, of_run / watch.seconds());
  }
  return total == 0 ? 0 : best;
}

}  // namespace outrider::cost
