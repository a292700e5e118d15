// Attention written as the contract in attention.h says it, and the kernels beside it, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/lanes/exp.h"
#include "runtime/engine/cpu/scalar/scalar_lanes.h"
#include "tests/engine/shared_keys.h"

namespace outrider::engine::cpu {
namespace {

using scalar::Lanes;

/// The slot and the position of a key.
struct Key {
  int slot;
  int position;
};

/// A path as the list of its keys. Extra slots are every other one from `kExtra` on, so that a slot after the
/// contiguous ones is never its key's position.
constexpr int kExtra = 1100;
constexpr int kSlots = 1200;

struct Path {
  int contiguous;  // positions in slots of the same number
  int extra;       // positions after them, in slots from kExtra on
  int window = 0;  // 0: none

  int length() const { return contiguous + extra; }
  int first() const { return window == 0 ? 0 : std::max(0, length() - window); }

  std::vector<Key> keys() const {
    std::vector<Key> keys;
    for (int p = first(); p < length(); ++p)
      keys.push_back({p < contiguous ? p : kExtra + 2 * (p - contiguous), p});
    return keys;
  }
};

/// The slots of the rows of a tree.
const std::vector<int>& extra_slots() {
  static const std::vector<int> slots = [] {
    std::vector<int> every_other(50);
    for (int i = 0; i < 50; ++i) every_other[static_cast<std::size_t>(i)] = kExtra + 2 * i;
    return every_other;
  }();
  return slots;
}

/// What the engine makes of a path for the kernels.
KeyPath key_path(const Path& path) {
  const int left_out = std::max(0, path.first() - path.contiguous);
  return {.first = path.first() - left_out,
          .contiguous = path.contiguous,
          .extra = extra_slots().data() + left_out,
          .num_extra = path.extra - left_out,
          .left_out = left_out};
}

float exponential(float x) { return exp(Lanes::broadcast(x)).v[0]; }

/// The contract, with nothing shared between queries and nothing done at once.
template <typename Kv>
Attended plain(const SharedKeys<Kv>& shared, std::size_t query, const Path& path) {
  constexpr int kWidth = SharedKeys<Kv>::kHeadWidth;
  const std::vector<Key> keys = path.keys();
  std::vector<float> scores;
  for (const Key& key : keys) {
    float score = 0;
    for (int d = 0; d < kWidth; ++d)
      score = std::fma(shared.key(key.slot, d), shared.query(query)[d], score);
    const float slope = shared.slope(query);
    scores.push_back(score + slope * static_cast<float>(key.position - keys.back().position));
  }
  const auto best = std::max_element(scores.begin(), scores.end());
  Attended result{std::vector<float>(kWidth), {*best, 0}, static_cast<int>(best - scores.begin())};
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    const int split = keys[begin].position / 256;
    while (end < keys.size() && keys[end].position / 256 == split) ++end;
    Lanes lanes = Lanes::zero();
    std::vector<float> values(kWidth);
    for (std::size_t i = begin; i < end; ++i) {
      const float weight = exponential(scores[i] - *best);
      lanes.v[(i - begin) % 16] += weight;
      for (int d = 0; d < kWidth; ++d) {
        float& value = values[static_cast<std::size_t>(d)];
        value = std::fma(shared.value(keys[i].slot, d), weight, value);
      }
    }
    const bool is_first = begin == 0;
    result.softmax.total = is_first ? lanes.sum() : result.softmax.total + lanes.sum();
    for (std::size_t d = 0; d < kWidth; ++d)
      result.out[d] = is_first ? values[d] : result.out[d] + values[d];
  }
  for (float& number : result.out) number /= result.softmax.total;
  return result;
}

/// Attention of twelve queries, in tiles of one, of three (a row's heads) and of all.
template <typename Kv>
void expect_as_plain(const std::vector<Path>& paths) {
  std::mt19937 random(29);
  SharedKeys<Kv> shared(kSlots, random);
  std::vector<KeyPath> key_paths;
  std::vector<Attended> expected;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    key_paths.push_back(key_path(paths[i]));
    expected.push_back(plain(shared, i, paths[i]));
  }
  for (const Isa isa : available_isas()) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, paths.size()}) {
      for (std::size_t first = 0; first + count <= paths.size(); first += count) {
        const auto found = shared.attend(kernels_for(isa), key_paths, first, count);
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(found[i], expected[first + i])
              << kernels_for(isa).name << ", query " << first + i << " in a tile of " << count;
      }
    }
  }
}

void expect_as_plain_for_all_numbers(const std::vector<Path>& paths) {
  expect_as_plain<float>(paths);
  expect_as_plain<Half>(paths);
  expect_as_plain<std::byte>(paths);
}

/// Three heads of each of four rows.
std::vector<Path> heads_of_rows(const std::vector<Path>& rows) {
  std::vector<Path> paths;
  for (const Path& row : rows) paths.insert(paths.end(), 3, row);
  return paths;
}

TEST(AttentionInSplits, OfEveryLength) {
  expect_as_plain_for_all_numbers(
      {{1, 0}, {255, 0}, {256, 0}, {257, 0}, {511, 0}, {512, 0}, {513, 0}, {600, 0}, {1025, 0}});
}

TEST(AttentionInSplits, OfTheRowsOfAPrompt) {
  for (const int length : {254, 510})
    expect_as_plain_for_all_numbers(
        heads_of_rows({{length, 0}, {length + 1, 0}, {length + 2, 0}, {length + 3, 0}}));
}

// Rows of a tree, whose slots are not their positions.
TEST(AttentionInSplits, OfTrees) {
  expect_as_plain_for_all_numbers(heads_of_rows({{250, 5}, {250, 6}, {250, 7}, {250, 40}}));
  expect_as_plain_for_all_numbers(heads_of_rows({{250, 0}, {256, 1}, {500, 12}, {512, 3}}));
  expect_as_plain_for_all_numbers(heads_of_rows({{1, 7}, {1000, 24}, {1000, 25}, {1023, 2}}));
}

// The first split begins in the middle; windows of a few keys begin among a tree's own rows.
TEST(AttentionInSplits, OfWindows) {
  expect_as_plain_for_all_numbers(
      heads_of_rows({{600, 0, 300}, {601, 0, 300}, {602, 0, 300}, {603, 0, 300}}));
  expect_as_plain_for_all_numbers(
      heads_of_rows({{512, 0, 256}, {513, 0, 256}, {511, 0, 256}, {767, 0, 256}}));
  expect_as_plain_for_all_numbers(
      heads_of_rows({{500, 20, 40}, {500, 30, 25}, {500, 12, 8}, {510, 2, 1}}));
  expect_as_plain_for_all_numbers(
      heads_of_rows({{240, 30, 20}, {250, 20, 300}, {250, 9, 8}, {1025, 0, 1024}}));
}

// A zero keeps its sign where it is the sum of a whole split: products that are too small for a float, after
// the one key that counts.
TEST(AttentionInSplits, OfNumbersThatVanish) {
  constexpr int kWidth = SharedKeys<float>::kHeadWidth;
  std::mt19937 random(31);
  SharedKeys<float> shared(kSlots, random);
  std::vector<float> key(kWidth), value(kWidth, -1e-45f);
  for (int slot = 1; slot < 300; ++slot) shared.set(slot, key, value);
  std::copy_n(shared.query(0), kWidth, key.begin());
  std::fill(value.begin(), value.end(), 0.0f);
  shared.set(0, key, value);
  for (const int length : {2, 255, 256, 257}) {
    const Path path{length, 0};
    const Attended expected = plain(shared, 0, path);
    EXPECT_TRUE(std::signbit(expected.out[0])) << length;
    for (const Isa isa : available_isas())
      EXPECT_EQ(shared.attend(kernels_for(isa), {key_path(path)}, 0, 1)[0], expected)
          << kernels_for(isa).name << ", " << length;
  }
}

}  // namespace
}  // namespace outrider::engine::cpu
