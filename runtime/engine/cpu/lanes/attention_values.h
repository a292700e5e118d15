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
static_assert(kKeysOfSplit % kKeysOfPart == 0, "a split ends where a part does");

/// Before the first key of a query. Its output holds the sum of the splits that are complete; -0 is the one
/// number that leaves whatever is added to it as it is, a zero's sign included.
template <typename Kv>
void begin_sums(const Attention<Kv>& a, int query) {
  std::fill_n(a.queries[query].out, a.head_width, -0.0f);
  std::fill_n(a.open_sums(query), a.head_width, 0.0f);
}

/// Adds a complete split to the output; the next one begins from 0.
template <class L, typename Kv>
void end_split(const Attention<Kv>& a, int query) {
  float* out = a.queries[query].out;
  float* open = a.open_sums(query);
  for (int d = 0; d < a.head_width; d += 16) {
    (L::load(out + d) + L::load(open + d)).store(out + d);
    L::zero().store(open + d);
  }
}

/// After the last key: ends the last split, unless that ended with it, and divides.
template <class L, typename Kv>
void finish_sums(const Attention<Kv>& a, int query, float total) {
  const KeyPath& path = a.queries[query].path;
  float* out = a.queries[query].out;
  if (path.position(path.end()) % kKeysOfSplit != 0) end_split<L>(a, query);
  for (int d = 0; d < a.head_width; d += 16)
    (L::load(out + d) / L::broadcast(total)).store(out + d);
}

/// Adds the keys [begin, end) of the paths of Q queries, all of one split, to W * 16 of its open sums: weight *
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
    const float* open = a.open_sums(first_query + i) + column;
    unrolled<W>([&](int w) OUTRIDER_INLINE { sums[i * W + w] = L::load(open + w * 16); });
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
    float* open = a.open_sums(first_query + i) + column;
    unrolled<W>([&](int w) OUTRIDER_INLINE { sums[i * W + w].store(open + w * 16); });
  });
}

/// add_columns for the whole width of the head, part by part. The keys have the same positions on the paths
/// of all Q queries.
template <class L, int Q, typename Kv, class SlotOf>
void add_values(const Attention<Kv>& a, int first_query, int begin, int end,
                const SlotOf& slot_of) {
  constexpr int kWide = std::clamp(L::kSums / Q, 1, 4);
  const int tail = std::max(begin, end - kKeysOfPart);
  const KeyPath& path = a.queries[first_query].path;
  for (int part_end; begin < end; begin = part_end) {
    part_end = std::min(end, begin + kKeysOfPart - path.position(begin) % kKeysOfPart);
    int column = 0;
    for (; column + 16 * kWide <= a.head_width; column += 16 * kWide)
      add_columns<L, Q, kWide>(a, first_query, begin, part_end, slot_of, tail, column);
    for (; column < a.head_width; column += 16)
      add_columns<L, Q, 1>(a, first_query, begin, part_end, slot_of, tail, column);
    if (path.position(part_end) % kKeysOfSplit != 0) continue;
    for (int i = 0; i < Q; ++i) end_split<L>(a, first_query + i);
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
