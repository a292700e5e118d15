#pragma once

#include <algorithm>

#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/lanes/attention_scores.h"
#include "runtime/engine/cpu/lanes/attention_values.h"

namespace outrider::engine::cpu {

/// Attention of the queries [first_query, first_query + Q): a tile, whose sums fit the registers.
template <class L, int Q, typename Kv>
void attend_tile(const Attention<Kv>& a, int first_query) {
  const AttentionQuery* queries = a.queries + first_query;
  score_queries<L, Q>(a, first_query);
  float totals[Q];
  for (int i = 0; i < Q; ++i) {
    totals[i] = weigh_path<L>(queries[i], a.cap, a.scores(first_query + i));
    begin_sums(a, first_query + i);
  }
  // The slots that every path has are added together; before and after them, path by path.
  int begin = 0;
  int end = queries[0].path.contiguous;
  for (int i = 0; i < Q; ++i) {
    begin = std::max(begin, queries[i].path.first);
    end = std::min(end, queries[i].path.contiguous);
  }
  end = std::max(begin, end);
  add_before<L, Q>(a, first_query, begin);
  add_values<L, Q>(a, first_query, begin, end, [](int slot) { return slot; });
  add_after<L, Q>(a, first_query, end);
  for (int i = 0; i < Q; ++i) finish_sums<L>(a, first_query + i, totals[i]);
}

/// attend_tile for `count` queries, at most Q.
template <class L, int Q, typename Kv>
void attend_up_to(const Attention<Kv>& a, int first_query, int count) {
  if (count == Q) return attend_tile<L, Q>(a, first_query);
  if constexpr (Q > 1) attend_up_to<L, Q - 1>(a, first_query, count);
}

template <class L, typename Kv>
void attend(const Attention<Kv>& a) {
  constexpr int kTile = std::min(L::kSums, Attention<Kv>::kMostQueries);
  for (int first = 0; first < a.count; first += kTile)
    attend_up_to<L, kTile>(a, first, std::min(kTile, a.count - first));
}

}  // namespace outrider::engine::cpu
