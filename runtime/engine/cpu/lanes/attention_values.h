#pragma once

#include <algorithm>
#include <cstddef>

#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/lanes/attention_scores.h"
#include "runtime/engine/cpu/lanes/kv_numbers.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// Keys whose values and weights stay in the first cache for all columns.
constexpr int kKeysOfPart = 128;

/// Adds the keys [begin, end) of the paths of Q queries to W * 16 numbers of their outputs: weight *
/// value, one chain per number, which share the loads of the values. With the first columns the next part's
/// values are prefetched, at the end the keys that are scored next.
/// @param slot_of  the slot of a key, counted like the queries' weights
/// @param tail     the first key of all after which there is no such part
template <class L, int Q, int W, typename Kv, class SlotOf>
void add_columns(const Attention<Kv>& a, int first_query, int begin, int end, const SlotOf& slot_of,
                 int tail, int column) {
  L sums[Q * W];
  const float* weights[Q];
  unrolled<Q>([&](int i) OUTRIDER_INLINE {
    weights[i] = a.scores(first_query + i);
    const float* out = a.queries[first_query + i].out + column;
    unrolled<W>([&](int w) OUTRIDER_INLINE { sums[i * W + w] = L::load(out + w * 16); });
  });
  const std::ptrdiff_t row_size = KvLayout<Kv>{a.head_width}.row();
  const std::size_t row_bytes = static_cast<std::size_t>(row_size) * sizeof(Kv);
  for (int key = begin; key < end; ++key) {
    const std::ptrdiff_t row = row_size * slot_of(key);
    if (column == 0)
      prefetch(key < tail ? a.values + row_size * slot_of(key + kKeysOfPart)
                          : a.next_keys + row_size * (key - tail),
               row_bytes);
    L value[W];
    unrolled<W>([&](int w) OUTRIDER_INLINE {
      value[w] = sixteen_of_value<L>(a.values + row, a.head_width, column + w * 16);
    });
    unrolled<Q>([&](int i) OUTRIDER_INLINE {
      const L weight = L::broadcast(weights[i][key]);
      unrolled<W>([&](int w) OUTRIDER_INLINE {
        sums[i * W + w] = L::fma(value[w], weight, sums[i * W + w]);
      });
    });
  }
  unrolled<Q>([&](int i) OUTRIDER_INLINE {
    float* out = a.queries[first_query + i].out + column;
    unrolled<W>([&](int w) OUTRIDER_INLINE { sums[i * W + w].store(out + w * 16); });
  });
}

/// add_columns for the whole width of the head, part by part.
template <class L, int Q, typename Kv, class SlotOf>
void add_values(const Attention<Kv>& a, int first_query, int begin, int end,
                const SlotOf& slot_of) {
  constexpr int kWide = std::clamp(L::kSums / Q, 1, 4);
  const int tail = std::max(begin, end - kKeysOfPart);
  for (; begin < end; begin += kKeysOfPart) {
    const int part_end = std::min(end, begin + kKeysOfPart);
    int column = 0;
    for (; column + 16 * kWide <= a.head_width; column += 16 * kWide)
      add_columns<L, Q, kWide>(a, first_query, begin, part_end, slot_of, tail, column);
    for (; column < a.head_width; column += 16)
      add_columns<L, Q, 1>(a, first_query, begin, part_end, slot_of, tail, column);
  }
}

/// Calls visit.operator()<N>(query, path) for the queries [query, end), up to three with one path, such
/// as the heads of a row, at a time.
template <typename Kv, class Visit>
void visit_paths(const Attention<Kv>& a, int query, int end, const Visit& visit) {
  while (query < end) {
    const KeyPath& path = a.queries[query].path;
    int alike = 1;
    while (alike < 3 && query + alike < end && a.queries[query + alike].path == path) ++alike;
    if (alike == 3) visit.template operator()<3>(query, path);
    if (alike == 2) visit.template operator()<2>(query, path);
    if (alike == 1) visit.template operator()<1>(query, path);
    query += alike;
  }
}

/// Adds the keys of each of Q queries' paths before the slot `common`.
template <class L, int Q, typename Kv>
void add_before(const Attention<Kv>& a, int first_query, int common) {
  visit_paths(a, first_query, first_query + Q, [&]<int N>(int query, const KeyPath& path) {
    add_values<L, N>(a, query, path.first, std::min(common, path.contiguous),
                     [](int slot) { return slot; });
  });
}

/// Adds the keys of each of Q queries' paths from the slot `common` on.
template <class L, int Q, typename Kv>
void add_after(const Attention<Kv>& a, int first_query, int common) {
  visit_paths(a, first_query, first_query + Q, [&]<int N>(int query, const KeyPath& path) {
    add_values<L, N>(a, query, common, path.contiguous, [](int slot) { return slot; });
    add_values<L, N>(a, query, path.contiguous, path.contiguous + path.num_extra,
                     [&](int key) { return path.extra[key - path.contiguous]; });
  });
}

}  // namespace outrider::engine::cpu
