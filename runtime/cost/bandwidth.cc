#include "runtime/cost/bandwidth.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/base/aligned_buffer.h"
#include "runtime/base/stopwatch.h"
#include "runtime/engine/thread_team.h"

namespace outrider::cost {
namespace {

constexpr std::int64_t kWordsPerLine = 8;

// Memory is read in whole cache lines, so one word of each is enough; four sums at a time, so that the
// time is that of reading, not adding.
std::uint64_t sum_of(const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
  std::uint64_t sums[4] = {};
  for (std::int64_t i = begin; i + 4 * kWordsPerLine <= end; i += 4 * kWordsPerLine)
    for (int k = 0; k < 4; ++k) sums[k] += words[i + k * kWordsPerLine];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

double read_bandwidth(std::int64_t bytes, int threads, int tries) {
  const std::int64_t words = std::max<std::int64_t>(bytes / 8, 4 * kWordsPerLine * threads);
  AlignedBuffer<std::uint64_t> memory(static_cast<std::size_t>(words), Pages::kHuge);
  std::memset(memory.data(), 1, memory.size() * sizeof(std::uint64_t));
  engine::ThreadTeam team(threads);
  std::atomic<std::uint64_t> total{0};  // used, so that the reads are not optimised away
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    const Stopwatch watch;
    team.run([&](int thread) {
      total += sum_of(memory.data(), words * thread / threads, words * (thread + 1) / threads);
    });
    best = std::max(best, static_cast<double>(words) * 8 / watch.seconds());
  }
  return total == 0 ? 0 : best;
}

}  // namespace outrider::cost
