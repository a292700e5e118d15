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

ScoredRows::ScoredRows(engine::Engine& engine)
    : chooser_(sampling::make_chooser(engine, std::min(kTop, engine.num_logits()))) {}

Bits ScoredRows::bits_of(const engine::Logits& logits, int row) {
  sampling::AskedRow asked = {.row = row, .scores = &scores_};
  chooser_->answer(logits, {&asked, 1});
  const Bits bits = add_hash(std::vector{scores_.entropy, scores_.outside},
                             add_hash(scores_.log_probs, add_hash(scores_.ids, 0)));
  return std::max<Bits>(1, bits);
}

}  // namespace outrider::certify
