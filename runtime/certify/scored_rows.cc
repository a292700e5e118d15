#include "runtime/certify/scored_rows.h"

#include <xxhash.h>

#include <algorithm>

namespace outrider::certify {
namespace {

constexpr int kTop = 32;

template <typename T>
Bits add_hash(const std::vector<T>& numbers, Bits bits) {
  return XXH3_64bits_withSeed(numbers.data(), numbers.size() * sizeof(T), bits);
}

}  // namespace

ScoredRows::ScoredRows(const engine::Engine& engine)
    : scorer_(std::min(kTop, engine.num_logits()), engine.num_logits(), engine.score_kernels()) {}

Bits ScoredRows::bits_of(std::span<const float> logits) {
  scorer_.score(logits, scores_);
  const Bits bits = add_hash(std::vector{scores_.entropy, scores_.outside},
                             add_hash(scores_.log_probs, add_hash(scores_.ids, 0)));
  return std::max<Bits>(1, bits);
}

}  // namespace outrider::certify
