#include "runtime/engine/cpu/attention.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "tests/engine/shared_keys.h"

namespace outrider::engine::cpu {
namespace {

constexpr int kCachedSlots = 410;
constexpr int kCommittedSlots = 380;  // the rows of a tree are in the slots after them

/// Paths of twelve queries, three to a row.
std::vector<KeyPath> three_to_a_row(const std::array<KeyPath, 4>& rows) {
  std::vector<KeyPath> paths;
  for (const KeyPath& row : rows) paths.insert(paths.end(), 3, row);
  return paths;
}

template <typename Kv>
void expect_bits_of_single_queries(const std::vector<KeyPath>& paths) {
  std::mt19937 random(23);
  SharedKeys<Kv> shared(kCachedSlots, random);
  std::vector<Attended> alone;
  for (std::size_t i = 0; i < paths.size(); ++i)
    alone.push_back(shared.attend(scalar::kKernels, paths, i, 1)[0]);
  for (const Isa isa : available_isas()) {
    for (std::size_t count = 1; count <= paths.size(); ++count) {
      for (std::size_t first = 0; first + count <= paths.size(); first += count) {
        const auto together = shared.attend(kernels_for(isa), paths, first, count);
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(together[i], alone[first + i])
              << kernels_for(isa).name << ", query " << first + i << " of " << count;
      }
    }
  }
}

class AttentionPaths : public testing::TestWithParam<std::vector<KeyPath>> {};

TEST_P(AttentionPaths, OfSeveralQueriesGiveTheBitsOfOne) {
  expect_bits_of_single_queries<float>(GetParam());
  expect_bits_of_single_queries<Half>(GetParam());
  expect_bits_of_single_queries<std::byte>(GetParam());
}

constexpr int kOwn = kCommittedSlots;
// Slots of rows of a tree: each row's own path beyond the committed tokens.
constexpr std::array<int, 2> kBranch = {kOwn + 2, kOwn + 17};
constexpr std::array<int, 3> kOtherBranch = {kOwn + 1, kOwn + 3, kOwn + 29};

INSTANTIATE_TEST_SUITE_P(
    Rows, AttentionPaths,
    testing::Values(
        // A chain after the committed tokens.
        three_to_a_row({{{0, kOwn + 1, nullptr, 0},
                         {0, kOwn + 2, nullptr, 0},
                         {0, kOwn + 3, nullptr, 0},
                         {0, kOwn + 4, nullptr, 0}}}),
        // A tree.
        three_to_a_row({{{0, kOwn + 1, nullptr, 0},
                         {0, kOwn, kBranch.data(), 1},
                         {0, kOwn, kBranch.data(), 2},
                         {0, kOwn, kOtherBranch.data(), 3}}}),
        // Windows: the paths start at different slots, one of them in the row's own ones.
        three_to_a_row({{{5, kOwn + 1, nullptr, 0},
                         {6, kOwn + 2, nullptr, 0},
                         {37, kOwn, kBranch.data(), 2},
                         {kOwn, kOwn, kOtherBranch.data() + 1, 2}}}),
        // The first tokens of a prompt: some paths end before others start.
        three_to_a_row(
            {{{0, 1, nullptr, 0}, {0, 2, nullptr, 0}, {2, 3, nullptr, 0}, {3, 4, nullptr, 0}}})));

}  // namespace
}  // namespace outrider::engine::cpu
