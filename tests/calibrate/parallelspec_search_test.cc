// Greedy expansion and the search against trying every tree.

#include "calibrate/parallelspec/parallelspec_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace outrider::calibrate {
namespace {

using cost::Shape;
using draft::LevelShape;

constexpr ParallelSpecLimits kLimits = {.depths = 3, .children = 3, .nodes = 20};

draft::ParallelSpecModel three_masks() {
  draft::ParallelSpecModel model;
  model.layer.config.width = 1;
  model.mask_embeddings.assign(3, 0);
  return model;
}

/// Recorded depths of a text over six tokens, of which the text's own one is the first of every ranking with a
/// chance that falls with the depth, and is among the others at random otherwise.
class SomeLevels {
 public:
  explicit SomeLevels(std::uint64_t seed, double first = 0.6, double falls = 0.7) : random_(seed) {
    answer_.prompt = 1;
    for (int i = 0; i < 400; ++i) answer_.tokens.push_back(token());
    RecordedLevels& all = recorded_.emplace_back(RecordedLevels{&answer_, 2, kLimits.depths, {}});
    for (std::size_t position = 2; position + 3 < answer_.tokens.size(); ++position) {
      for (int depth = 0; depth < kLimits.depths; ++depth) {
        const double chance = first * std::pow(falls, depth);
        draft::RankedDepth& level = all.levels.emplace_back();
        level.log_best = std::log(chance) + (unit() < 0.5 ? 0.3 : -0.3);
        std::vector<Token> ranked = {0, 1, 2, 3, 4, 5};
        std::shuffle(ranked.begin(), ranked.end(), random_);
        const Token own = answer_.tokens[position + static_cast<std::size_t>(depth)];
        if (unit() < chance)
          std::iter_swap(ranked.begin(), std::find(ranked.begin(), ranked.end(), own));
        for (const Token one : ranked) level.tokens.push_back({one, 0, 0});
      }
    }
  }
  ParallelSpecTrials trials() const { return trials_on(recorded_, model_); }

 private:
  Token token() { return static_cast<Token>(random_() % 6); }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  std::mt19937_64 random_;
  Answer answer_;
  std::vector<RecordedLevels> recorded_;
  draft::ParallelSpecModel model_ = three_masks();
};

/// A further row costs so much of a pass over one.
cost::TrialPrices prices_where_rows_cost(double row) {
  std::vector<cost::TimedPass> passes;
  for (const Shape shape : {Shape::kChain, Shape::kTree})
    for (const int rows : {1, 101}) passes.push_back({{shape, rows, 0}, 1 + row * (rows - 1)});
  return {cost::CostModel(passes), 0, {1, 8}, {0.05, 0.06}};
}

/// All trees within the limits.
std::vector<LevelShape> every_tree(double threshold) {
  std::vector<LevelShape> all;
  for (int length = 1; length <= kLimits.depths; ++length) {
    int forms = 1;
    for (int depth = 0; depth < length; ++depth) forms *= kLimits.children;
    for (int form = 0; form < forms; ++form) {
      LevelShape shape = {length, {}, threshold};
      for (int depth = 0, left = form; depth < length; ++depth, left /= kLimits.children)
        shape.widths.push_back(1 + left % kLimits.children);
      while (!shape.widths.empty() && shape.widths.back() == 1) shape.widths.pop_back();
      if (shape.nodes() <= kLimits.nodes) all.push_back(shape);
    }
  }
  return all;
}

double fastest(ParallelSpecTrials& trials, const std::vector<LevelShape>& shapes,
               const cost::TrialPrices& prices) {
  double best = 0;
  for (const LevelShape& one : shapes) {
    const ParallelSpecTrial& trial = trials.of(one);
    best = std::max(best, prices.speed(trial, trial.shape()));
  }
  return best;
}

/// What a search finds where rows cost so much, with the speeds of that machine.
cost::TemperatureTrials searched(ParallelSpecTrials& trials, double row) {
  const cost::TrialPrices prices = prices_where_rows_cost(row);
  cost::TemperatureTrials found = {0.5, 0, search_trees(trials, kLimits, prices)};
  found.price(prices);
  return found;
}

const cost::Trial& best_of(const cost::TemperatureTrials& found) {
  return *found.best(kParallelSpecNames, {}, {});
}

TEST(ParallelSpecSearch, GreedyExpansionIsAsGoodAsTryingEveryTree) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const SomeLevels levels(seed);
    ParallelSpecTrials trials = levels.trials();
    const auto path = expand_greedily(trials, kLimits, 0);
    for (const double row : {0.01, 0.05, 0.15, 0.4})
      EXPECT_GE(fastest(trials, path, prices_where_rows_cost(row)),
                0.97 * fastest(trials, every_tree(0), prices_where_rows_cost(row)))
          << "seed " << seed << ", rows cost " << row;
  }
}

TEST(ParallelSpecSearch, ExpandsByWhatGivesTheMostTokensForANode) {
  const SomeLevels levels(5);
  ParallelSpecTrials trials = levels.trials();
  const auto path = expand_greedily(trials, kLimits, 0);
  ASSERT_GT(path.size(), 4u);
  EXPECT_EQ(path.front(), (LevelShape{1, {}, 0}));
  for (std::size_t i = 1; i < path.size(); ++i) {
    const ParallelSpecTrial now = trials.of(path[i - 1]);
    const auto gain = [&](const LevelShape& shape) {
      const ParallelSpecTrial& then = trials.of(shape);
      return (then.tokens_per_pass() - now.tokens_per_pass()) /
             (then.drafted_per_round() - now.drafted_per_round());
    };
    int others = 0;
    for (const LevelShape& other : every_tree(0)) {
      int more = other.length - path[i - 1].length, fewer = 0;
      for (int depth = 0; depth < kLimits.depths; ++depth) {
        more += std::max(0, other.width(depth) - path[i - 1].width(depth));
        fewer += std::max(0, path[i - 1].width(depth) - other.width(depth));
      }
      if (more != 1 || fewer != 0 || other.length < path[i - 1].length) continue;
      EXPECT_GE(gain(path[i]), gain(other)) << path[i].tree() << " or " << other.tree();
      ++others;
    }
    EXPECT_GT(others, 0);
    EXPECT_LE(path[i].nodes(), kLimits.nodes);
  }
}

TEST(ParallelSpecSearch, FindsTheFastestOfAllTreesAndThresholds) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const SomeLevels levels(seed);
    for (const double row : {0.01, 0.05, 0.15, 0.4}) {
      ParallelSpecTrials trials = levels.trials(), all = levels.trials();
      const cost::TemperatureTrials found = searched(trials, row);
      double best = 0;
      for (const double threshold : {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9})
        best = std::max(best, fastest(all, every_tree(threshold), prices_where_rows_cost(row)));
      double known = 0;
      for (const cost::Trial& trial : found.trials)
        known = std::max(known, trial.tokens_per_second);
      EXPECT_GE(known, 0.995 * best) << "seed " << seed << ", rows cost " << row;
      EXPECT_LT(trials.known().size(), 2 * found.trials.size() + 400);
    }
  }
}

TEST(ParallelSpecSearch, MayFindAChain) {
  const SomeLevels sure(6, 0.95, 1), unsure(6, 0.3, 0.9);
  ParallelSpecTrials chains = sure.trials(), trees = unsure.trials();
  EXPECT_EQ(best_of(searched(chains, 0.1)).shape, Shape::kChain);
  cost::TemperatureTrials kept = searched(trees, 0.001);
  EXPECT_EQ(best_of(kept).shape, Shape::kTree);
  // Another machine's costs choose from the same trials.
  kept.price(prices_where_rows_cost(2));
  EXPECT_EQ(best_of(kept).shape, Shape::kChain);
  EXPECT_LT(best_of(kept).tokens_per_second, kept.plain_tokens_per_second);
}

}  // namespace
}  // namespace outrider::calibrate
