#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "runtime/engine/engine.h"
#include "tests/support/tiny_llama.h"
#include "train/reference/reference_model.h"

namespace outrider::train {
namespace {

using engine::Pass;
using engine::Row;
using engine::Taps;

// Two float32 implementations: divergence in nats, log-probabilities of likely tokens, and the margin
// from which on the best token must be the same.
constexpr double kMeanKl = 1e-6;
constexpr double kWorstKl = 1e-4;
constexpr double kLogProb = 2e-3;
constexpr double kLikely = 1e-4;
constexpr double kMargin = 2e-3;

at::Tensor tensor_of(std::span<const float> numbers) {
  return at::from_blob(const_cast<float*>(numbers.data()), {std::ssize(numbers)}, at::kFloat)
      .clone();
}

struct Rows {
  std::vector<Token> tokens;
  std::vector<int> parents;
};

Rows random_tree(int size, int branching, int vocab, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (int i = 0; i < size; ++i) {
    rows.tokens.push_back(static_cast<Token>(random() % static_cast<std::uint64_t>(vocab)));
    const int back = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(branching));
    rows.parents.push_back(i == 0 ? -1 : std::max(0, i - back));
  }
  return rows;
}

Pass pass_of(const Rows& rows, engine::KvCache& cache, Taps* taps) {
  Pass pass;
  pass.sequences = {&cache};
  pass.taps = taps;
  for (std::size_t i = 0; i < rows.tokens.size(); ++i)
    pass.rows.push_back(
        {rows.tokens[i], 0, rows.parents[i] < 0 ? Row::kCommitted : rows.parents[i], true});
  return pass;
}

void expect_same_distributions(const Pass& pass, const at::Tensor& reference_logits) {
  double total = 0;
  const std::int64_t rows = reference_logits.size(0);
  for (std::int64_t i = 0; i < rows; ++i) {
    const at::Tensor expected = reference_logits[i].to(at::kDouble).log_softmax(-1);
    const at::Tensor found =
        tensor_of(pass.row_logits(static_cast<int>(i))).to(at::kDouble).log_softmax(-1);
    const double kl = (expected.exp() * (expected - found)).sum().item<double>();
    total += kl;
    EXPECT_LT(kl, kWorstKl) << "row " << i;
    const at::Tensor likely = expected.exp() > kLikely;
    EXPECT_LT((expected - found).abs().masked_select(likely).max().item<double>(), kLogProb)
        << "row " << i;
    const auto best = expected.topk(2);
    if ((std::get<0>(best)[0] - std::get<0>(best)[1]).item<double>() > kMargin) {
      EXPECT_EQ(found.argmax().item<std::int64_t>(), std::get<1>(best)[0].item<std::int64_t>())
          << "row " << i;
    }
  }
  EXPECT_LT(total / static_cast<double>(rows), kMeanKl);
}

void compare(const model::Model& model, const Rows& rows) {
  engine::Engine engine(model, {engine::Numerics::kF32, engine::Isa::kAuto, 2});
  engine::KvCache cache = engine.make_cache(static_cast<int>(rows.tokens.size()));
  Pass pass = pass_of(rows, cache, nullptr);
  engine.forward(pass);
  const ReferenceModel reference(model, at::kFloat);
  expect_same_distributions(pass, reference.forward(tree_rows(rows.tokens, rows.parents)).logits);
}

TEST(Engine, GivesTheReferencesDistributionsOnTheRealModel) {
  const model::Model model = model::load_model(OUTRIDER_MODEL);
  compare(model, random_tree(300, 1, model.config.vocab, 1));  // a text
  compare(model, random_tree(120, 6, model.config.vocab, 2));  // a tree
}

TEST(Engine, HandsOutTheReferencesStatesAndAttention) {
  const auto bytes = test::tiny_llama_gguf({.layers = 3,
                                            .width = 64,
                                            .heads = 4,
                                            .kv_heads = 2,
                                            .head_width = 32,
                                            .ffn_width = 96,
                                            .tied = false},
                                           5, model::WeightType::kF32);
  const model::Model model = model::parse_model(bytes, "tiny");
  const Rows rows = random_tree(60, 5, model.config.vocab, 3);
  Taps taps;
  taps.layers = {0, 1, 2, 3, Taps::kFinalNorm};
  for (int l = 1; l <= 3; ++l)
    for (int h = 0; h < 4; ++h) taps.heads.push_back({l, h});
  taps.best_keys = true;
  engine::Engine engine(model, {engine::Numerics::kF32, engine::Isa::kAuto, 1});
  engine::KvCache cache = engine.make_cache(60);
  Pass pass = pass_of(rows, cache, &taps);
  engine.forward(pass);

  const ReferenceModel reference(model, at::kFloat);
  const ReferenceRows reference_rows = tree_rows(rows.tokens, rows.parents);
  const ReferenceOutput expected = reference.forward(reference_rows, true);
  for (std::size_t t = 0; t < taps.layers.size(); ++t) {
    const at::Tensor& states = t < 4 ? expected.states[t] : expected.final_norm;
    const at::Tensor found = tensor_of(taps.states[t]).view_as(states);
    EXPECT_LT((found - states).abs().max().item<double>(), 1e-4) << "tap " << t;
  }
  for (std::size_t t = 0; t < taps.heads.size(); ++t) {
    const at::Tensor& attention =
        expected.attention[static_cast<std::size_t>(taps.heads[t].layer - 1)];
    for (std::int64_t i = 0; i < std::ssize(rows.tokens); ++i) {
      // The columns of the row's path, which come in order of position.
      const at::Tensor path =
          attention[taps.heads[t].head][i].masked_select(reference_rows.visible[i]);
      const auto& found = taps.attention[t][static_cast<std::size_t>(i)];
      ASSERT_EQ(std::ssize(found), path.size(0));
      EXPECT_LT((tensor_of(found) - path).abs().max().item<double>(), 1e-5)
          << "head " << t << ", row " << i;
      const auto best = path.topk(std::min<std::int64_t>(2, path.size(0)));
      const bool clear =
          path.size(0) < 2 || (std::get<0>(best)[0] - std::get<0>(best)[1]).item<double>() > 1e-5;
      const int l = taps.heads[t].layer - 1;
      if (clear) {
        EXPECT_EQ(taps.best_key[static_cast<std::size_t>((i * 3 + l) * 4 + taps.heads[t].head)],
                  std::get<1>(best)[0].item<std::int64_t>());
      }
    }
  }
}

}  // namespace
}  // namespace outrider::train
