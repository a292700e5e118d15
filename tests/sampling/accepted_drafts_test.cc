// An emulated GPU follows its choices down drafts as the processor does, and the keys and values that it moves are those that
// the processor would have moved.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "runtime/draft/tree_walk.h"
#include "runtime/engine/cuda/cuda_kv_cache.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/sampling/elsewhere_chooser.h"
#include "tests/support/logit_rows.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

using draft::TokenTree;
using engine::cuda::CudaKvCache;

/// A sequence's draft, its rows in the pass, and two caches with the same keys and values: one whose accepted rows the device
/// may move, and one whose rows the processor moves.
struct DraftOfText {
  TokenTree tree;
  SamplerOptions options = {};
  std::uint64_t seed = 0;
  std::unique_ptr<CudaKvCache> cache, expected = {};
  std::vector<int> path = {};  // that the processor accepts
};

class AcceptedDrafts : public testing::TestWithParam<engine::KvType> {
 protected:
  static constexpr int kVocab = 100;
  static constexpr int kLayers = 2;

  AcceptedDrafts() {
    gpu_->device = engine::cuda::emulated::make_emulated_device({.os_threads = 2});
    gpu_->kernels = engine::cuda::emulated::make_kernels(*gpu_->device);
    chooser_ =
        std::make_unique<ElsewhereChooser>(HeadVocabulary(kVocab),
                                           std::make_unique<engine::cuda::CudaRowReader>(
                                               gpu_, kVocab, engine::RowReaderOptions{.top = 5}),
                                           nullptr, true);
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static model::ModelConfig config() {
    model::ModelConfig tiny;
    tiny.layers = kLayers;
    tiny.heads = 4;
    tiny.kv_heads = 2;
    tiny.head_width = 32;
    return tiny;
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  /// A cache with `length` committed tokens, and rows of a draft, of random bytes.
  std::unique_ptr<CudaKvCache> new_cache(const TokenTree& tree, int length, unsigned seed) const {
    const int capacity = length + tree.size();
    auto cache = std::make_unique<CudaKvCache>(gpu_, config(), capacity, GetParam());
    std::vector<std::uint8_t> bytes(index(2 * kLayers * config().kv_heads) * cache->head_bytes());
    std::mt19937 random(seed);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    gpu_->device->copy_to(cache->data(), bytes.data(), bytes.size());
    gpu_->device->synchronise();
    for (int i = 0; i < length; ++i) cache->add_row(i - 1);
    cache->commit_first(length);
    cache->begin_pass();
    for (int node = 0; node < tree.size(); ++node)
      cache->add_row(node == 0 ? engine::KvCache::kCommitted : tree.parent(node));
    return cache;
  }

  /// @param length  committed tokens
  DraftOfText sequence(TokenTree tree, int length, const SamplerOptions& options = {}) {
    const auto seed = static_cast<unsigned>(random_());
    auto cache = new_cache(tree, length, seed), expected = new_cache(tree, length, seed);
    return {std::move(tree), options, random_(), std::move(cache), std::move(expected)};
  }

  /// A row of logits: of noise, and one of the children of a node is nearly certain, or none is likely.
  test::LogitRow logits_after(const TokenTree& tree, int node, double agreement) {
    std::normal_distribution<float> normal;
    test::LogitRow row(kVocab);
    for (float& z : row) z = normal(random_);
    std::vector<int> children;
    for (int child = tree.first_child(node); child != TokenTree::kNone;
         child = tree.next_sibling(child))
      children.push_back(child);
    const bool agrees = static_cast<double>(below(1000)) < 1000 * agreement;
    for (const int child : children) row[index(tree.token(child))] = -60;
    if (!children.empty() && agrees)
      row[index(tree.token(children[random_() % children.size()]))] = 60;
    return row;
  }

  /// Asks about all rows of these drafts in one pass, and follows the choices here.
  /// @param agreement  how often a drafted token is chosen
  void answer(std::vector<DraftOfText>& all, double agreement, bool scored = false) {
    std::vector<test::LogitRow> logits;
    std::vector<AskedRow> asked;
    std::vector<engine::AskedDraft> drafts;
    pass_.rows.clear();
    for (std::size_t s = 0; s < all.size(); ++s)
      for (int node = 0; node < all[s].tree.size(); ++node) {
        const int first = static_cast<int>(logits.size()) - node;
        const int above = all[s].tree.parent(node);
        pass_.rows.push_back({all[s].tree.token(node), static_cast<int>(s),
                              node == 0 ? engine::Row::kCommitted : first + above, true});
        asked.push_back({.row = static_cast<int>(logits.size()),
                         .position = all[s].cache->length() + all[s].tree.depth(node) + 1,
                         .sampling = SequenceSampling{all[s].options, all[s].seed, counts_},
                         .may_be_rejected = true});
        logits.push_back(bad_row_ == node ? test::LogitRow(kVocab, test::kImpossibleLogit)
                                          : logits_after(all[s].tree, node, agreement));
      }
    std::size_t first = 0;
    for (DraftOfText& one : all) {
      const auto rows = index(one.tree.size());
      drafts.push_back({.cache = one.cache.get(),
                        .rows = std::span<const engine::Row>(pass_.rows).subspan(first, rows),
                        .first_row = static_cast<int>(first),
                        .first_question = first});
      first += rows;
    }
    std::vector<RowScores> scores(asked.size());
    if (scored)
      for (std::size_t i = 0; i < asked.size(); ++i) asked[i].scores = &scores[i];
    test::leave_on_device(gpu_, logits, logits_);
    chooser_->answer_drafts(logits_, asked, drafts);
    for (std::size_t s = 0; s < all.size(); ++s) {
      draft::TreeWalk walk(all[s].tree);
      const auto choice = [&] {
        return asked[drafts[s].first_question + index(walk.node())].token;
      };
      while (choice() != engine::RowAnswer::kRefused && walk.follow(choice())) {
      }
      all[s].path = walk.path();
    }
  }

  /// Commits the first rows of the path, and expects what the processor would have made of the cache.
  static void expect_the_processors_rows(DraftOfText& one, std::size_t kept) {
    const std::vector<int> path(one.path.begin(),
                                one.path.begin() + static_cast<std::ptrdiff_t>(kept));
    one.expected->commit(path);
    one.cache->commit(path);
    for (int layer = 0; layer < kLayers; ++layer)
      for (int slot = 0; slot < one.expected->length(); ++slot) {
        ASSERT_EQ(one.cache->key_bytes(layer, slot), one.expected->key_bytes(layer, slot)) << slot;
        ASSERT_EQ(one.cache->value_bytes(layer, slot), one.expected->value_bytes(layer, slot))
            << slot;
      }
  }
  static void expect_moved(const DraftOfText& one) {
    EXPECT_EQ(std::vector<int>(one.cache->moved().begin(), one.cache->moved().end()), one.path);
  }

  TokenTree random_tree(int nodes) {
    return test::random_tree(below(kVocab), {.vocab = 6, .nodes = nodes, .branching = 4}, random_);
  }
  TokenTree chain(int nodes) {
    TokenTree tree(5);
    for (int node = 1; node < nodes; ++node) tree.add(node - 1, below(kVocab));
    return tree;
  }
  /// Of the last node a path, beside one that is wrong at each level.
  TokenTree path_beside_others(int depth) {
    TokenTree tree(5);
    for (int node = 0; depth > 0; --depth) {
      tree.add(node, 1 + below(kVocab - 1));
      node = tree.add(node, 0);
    }
    return tree;
  }

  std::mt19937_64 random_{5};
  std::shared_ptr<engine::cuda::Gpu> gpu_ = std::make_shared<engine::cuda::Gpu>();
  std::unique_ptr<ElsewhereChooser> chooser_;
  engine::Logits logits_;
  engine::Pass pass_;
  TokenCounts counts_{{}};
  int bad_row_ = -1;  // of each draft; -1: none
};

/// Of several sequences, each chosen for in another way: what is found lies in the order of these ways, not in that of rows.
TEST_P(AcceptedDrafts, OfRandomTreesAreThoseOfTheProcessor) {
  const SamplerOptions ways[] = {
      {.temperature = 1, .top_k = 5}, {}, {.temperature = 0.7}, {.temperature = 1, .top_p = 0.9}};
  std::size_t accepted = 0, moved = 0;
  for (int turn = 0; turn < 12; ++turn) {
    std::vector<DraftOfText> all;
    for (const SamplerOptions& options : ways)
      all.push_back(sequence(random_tree(3 + below(14)), 1 + below(70), options));
    answer(all, 0.8, turn % 3 == 0);
    for (DraftOfText& one : all) {
      accepted += one.path.size() - 1;
      if (!one.cache->moved().empty()) expect_moved(one);
      const bool has_to_move = one.path.back() >= static_cast<int>(one.path.size());
      moved += has_to_move && !one.cache->moved().empty() ? 1 : 0;
      // Where the text ends within the draft, a part of the path is kept.
      const std::size_t kept = turn % 2 == 0 ? one.path.size() : 1 + random_() % one.path.size();
      ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(one, kept));
    }
  }
  EXPECT_GT(accepted, 50u);
  EXPECT_GT(moved, 15u) << "by the device";
}

TEST_P(AcceptedDrafts, CanBeNoneOrAll) {
  std::vector<DraftOfText> all;
  all.push_back(sequence(path_beside_others(9), 31));
  answer(all, 0);
  EXPECT_EQ(all[0].path, std::vector{0});
  expect_moved(all[0]);
  ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(all[0], 1));

  // The whole room of a path, and one that crosses blocks of 32 slots.
  all.clear();
  TokenTree longest = chain(63);
  longest.add(61, (longest.token(62) + 1) % kVocab);
  all.push_back(sequence(longest, 31));
  answer(all, 1);
  EXPECT_EQ(all[0].path.size(), 63u);
  expect_moved(all[0]);
  ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(all[0], 63));
}

TEST_P(AcceptedDrafts, AreNotMovedWhereTheyLieRight) {
  std::vector<DraftOfText> all;
  all.push_back(sequence(chain(7), 20));
  all.push_back(sequence(chain(1), 3));
  answer(all, 0.9);
  for (DraftOfText& one : all) {
    EXPECT_TRUE(one.cache->moved().empty());
    ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(one, one.path.size()));
  }
}

/// Several paths have the tokens of a choice, and the one that goes on the farthest is kept.
TEST_P(AcceptedDrafts, AreLeftToTheProcessorWhereSiblingsAreEqual) {
  TokenTree tree(5);
  tree.set_form(draft::TreeForm::kRows);
  const std::vector<std::vector<Token>> rows = {{1, 2}, {1, 3, 4}, {1, 2, 6}};
  for (const std::vector<Token>& row : rows) tree.add_draft(row, {});
  std::vector<DraftOfText> all;
  all.push_back(sequence(tree, 20));
  answer(all, 1);
  EXPECT_GT(all[0].path.size(), 2u);
  EXPECT_TRUE(all[0].cache->moved().empty());
  ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(all[0], all[0].path.size()));
}

/// Rows are asked about 64 at once: a draft whose rows are divided is the processor's.
TEST_P(AcceptedDrafts, AreFollowedWhereAllRowsAreAskedAboutAtOnce) {
  std::vector<DraftOfText> all;
  for (int i = 0; i < 4; ++i) all.push_back(sequence(path_beside_others(11), 10 + i));  // 23 rows
  answer(all, 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].cache->moved().empty(), i == 2) << i;
    ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(all[i], all[i].path.size()));
  }
}

/// Launches of one form are recorded the second time: those that are replayed read what is asked now, of the caches that are
/// there now. A chain of as many rows has another form, since nothing is followed.
TEST_P(AcceptedDrafts, AreFollowedByLaunchesThatWereRecorded) {
  for (int turn = 0; turn < 8; ++turn) {
    std::vector<DraftOfText> all;
    all.push_back(sequence(path_beside_others(5), 20 + turn));
    all.push_back(sequence(turn % 3 == 2 ? chain(9) : path_beside_others(4), 40 - turn));
    answer(all, turn % 2 == 0 ? 1 : 0.7);
    expect_moved(all[0]);
    EXPECT_EQ(all[1].cache->moved().empty(), turn % 3 == 2) << turn;
    for (DraftOfText& one : all)
      ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(one, one.path.size()));
  }
}

/// The processor takes no choice from a row that is no distribution.
TEST_P(AcceptedDrafts, EndWithARowThatIsRefused) {
  bad_row_ = 4;
  int end_there = 0;
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<DraftOfText> all;
    all.push_back(sequence(path_beside_others(5), 20));
    answer(all, 1);
    end_there += all[0].path.back() == bad_row_ ? 1 : 0;
    expect_moved(all[0]);
    ASSERT_NO_FATAL_FAILURE(expect_the_processors_rows(all[0], all[0].path.size()));
  }
  EXPECT_GT(end_there, 0);
}

INSTANTIATE_TEST_SUITE_P(KeysAndValues, AcceptedDrafts,
                         testing::Values(engine::KvType::kF32, engine::KvType::kF16,
                                         engine::KvType::kQ8_0));

}  // namespace
}  // namespace outrider::sampling
