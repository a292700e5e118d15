#include <gtest/gtest.h>

#include <array>

#include "runtime/draft/model/tree_passes.h"
#include "runtime/draft/parallelspec/medusa_heads_passes.h"
#include "runtime/draft/parallelspec/parallelspec_passes.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::decode {
namespace {

using Flavour = draft::ParallelSpecModel::Flavour;
using Logits = std::vector<float>;

/// Steps of several sequences, each in a pass alone or all in one.
void forward(engine::Engine& engine, engine::Pass& pass, bool together,
             const std::vector<engine::PassStep*>& steps) {
  if (together) return engine::forward_steps(engine, pass, steps);
  for (engine::PassStep* const step : steps) engine::forward_step(engine, pass, *step);
}

/// What steps gave, of which each has its logits until the next pass.
template <typename Passes>
void add_logits(const Passes& passes, int rows, std::vector<Logits>& all) {
  for (int i = 0; i < rows; ++i) {
    const std::span<const float> row = passes.logits(i).numbers();
    all.emplace_back(row.begin(), row.end());
  }
}

/// What the texts of two sequences gave, each with the last of its passes.
using OfBoth = std::array<std::vector<Logits>, 2>;

/// Reads two texts in chunks, each in passes alone or both in the same ones as long as both have any.
/// @param rows  how many of each give logits
template <typename Step, typename Passes>
void read(engine::Engine& engine, std::array<engine::Pass, 2>& buffers, bool together,
          std::array<Step, 2>& steps, const std::array<Passes, 2>& passes,
          const std::array<int, 2>& rows, OfBoth& found) {
  while (!steps[0].is_done() || !steps[1].is_done()) {
    std::vector<std::size_t> unread;
    for (std::size_t i = 0; i < 2; ++i)
      if (!steps[i].is_done()) unread.push_back(i);
    std::vector<engine::PassStep*> sharing;
    for (const std::size_t i : unread) sharing.push_back(&steps[i]);
    if (together) forward(engine, buffers[0], true, sharing);
    for (const std::size_t i : unread) {
      if (!together) forward(engine, buffers[i], false, {&steps[i]});
      if (steps[i].is_done()) add_logits(passes[i], rows[i], found[i]);
    }
  }
}

std::vector<float> random_states(int rows, int width, std::uint64_t seed) {
  std::vector<float> states;
  for (const Token number : test::random_tokens(rows * width, 1000, seed))
    states.push_back(static_cast<float>(number) / 500 - 1);
  return states;
}

TEST(SharedSteps, OfDraftModelsTextsAreThoseOfEachAlone) {
  const test::TinyEngine tiny(model::WeightType::kQ8_0, 1, 1);
  const std::shared_ptr<engine::Engine> engine = tiny.engine.beside(tiny.model, {});
  const int vocab = engine->config().vocab;
  const std::array<std::vector<Token>, 2> texts = {test::random_tokens(90, vocab, 1),
                                                   test::random_tokens(170, vocab, 2)};
  std::array<OfBoth, 2> found;
  for (const bool together : {false, true}) {
    std::array<draft::TreePasses, 2> passes = {draft::TreePasses(engine),
                                               draft::TreePasses(engine)};
    for (draft::TreePasses& each : passes) each.reserve(180);
    std::array<engine::Pass, 2> buffers;
    for (const std::size_t unread : {20U, 1U, 0U}) {
      using Text = draft::TreePasses::UnreadStep;
      std::array<Text, 2> steps = {Text(passes[0], std::span(texts[0]).first(90 - unread)),
                                   Text(passes[1], std::span(texts[1]).first(170 - unread))};
      read(*engine, buffers, together, steps, passes, {1, 1}, found[together]);
      EXPECT_EQ(passes[0].length(), 90 - static_cast<int>(unread));
    }
  }
  EXPECT_EQ(found[0][1].size(), 3U);
  EXPECT_EQ(found[0], found[1]);
}

TEST(SharedSteps, OfDraftModelsTreesAreThoseOfEachAlone) {
  const test::TinyEngine tiny(model::WeightType::kQ8_0, 1, 1);
  const std::shared_ptr<engine::Engine> engine = tiny.engine.beside(tiny.model, {});
  using Nodes = std::vector<draft::TreePasses::Node>;
  constexpr int kText = draft::TreePasses::Node::kText;
  const std::array<std::vector<Token>, 2> texts = {{{3, 1, 4, 1}, {5, 9}}};
  const std::array<std::array<Nodes, 2>, 2> levels = {
      {{Nodes{{7, kText}, {8, kText}}, Nodes{{9, kText}}},
       {Nodes{{6, 1}, {5, 0}}, Nodes{{4, 0}, {3, 0}, {2, 0}}}}};
  std::array<std::vector<Logits>, 2> found;
  for (const bool together : {false, true}) {
    std::array<draft::TreePasses, 2> passes = {draft::TreePasses(engine),
                                               draft::TreePasses(engine)};
    engine::Pass pass;
    for (std::size_t i = 0; i < 2; ++i) {
      passes[i].reserve(20, 10);
      passes[i].read(texts[i]);
    }
    for (const auto& level : levels) {
      std::array<draft::TreePasses::NodesStep, 2> steps = {
          draft::TreePasses::NodesStep(passes[0], level[0]),
          draft::TreePasses::NodesStep(passes[1], level[1])};
      if (together) forward(*engine, pass, true, {steps.data(), &steps[1]});
      for (std::size_t i = 0; i < 2; ++i) {
        if (!together) forward(*engine, pass, false, {&steps[i]});
        add_logits(passes[i], static_cast<int>(level[i].size()), found[together]);
      }
    }
    // The rows that the texts keep are those of each.
    passes[0].keep(std::vector<int>{1, 2});
    passes[1].keep(std::vector<int>{0, 2});
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<Token> text = texts[i];
      for (const Token token : i == 0 ? std::vector<Token>{8, 6} : std::vector<Token>{9, 3})
        text.push_back(token);
      text.push_back(1);
      passes[i].read(text);
      add_logits(passes[i], 1, found[together]);
    }
  }
  EXPECT_EQ(found[0].size(), 10U);
  EXPECT_EQ(found[0], found[1]);
}

TEST(SharedSteps, OfParallelDraftersAreThoseOfEachAlone) {
  const test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const std::array<std::size_t, 2> most = {90, 170};  // tokens
  const std::array<int, 2> masks = {2, 3};
  for (const test::ParallelSpecShape& shape : {test::ParallelSpecShape{Flavour::kEagle, true},
                                               {Flavour::kMedusa, true},
                                               {Flavour::kMedusa, false}}) {
    const auto model = std::make_shared<const draft::ParallelSpecModel>(
        test::tiny_parallelspec(target.model, shape, 5));
    const std::shared_ptr<engine::Engine> engine = target.engine.beside(model->layer, {});
    const std::array<int, 2> rows = {masks[0] + shape.token_inputs, masks[1] + shape.token_inputs};
    std::array<OfBoth, 2> found;
    for (const bool together : {false, true}) {
      std::array<draft::ParallelSpecPasses, 2> passes = {
          draft::ParallelSpecPasses(model, engine, 3), draft::ParallelSpecPasses(model, engine, 3)};
      std::array<engine::Pass, 2> buffers;
      for (const std::size_t unread : {20U, 1U, 0U}) {
        std::array<std::vector<Token>, 2> texts;
        std::array<std::vector<float>, 2> states;
        for (std::size_t i = 0; i < 2; ++i) {
          const auto tokens = static_cast<int>(most[i] - unread);
          texts[i] = test::random_tokens(tokens, target.engine.config().vocab, i);
          const int given = passes[i].slots_of(tokens) - passes[i].slots();
          if (model->reads_states())
            states[i] = random_states(given, model->layer.config.width, 7 + i + unread);
        }
        using Text = draft::ParallelSpecPasses::RealRowsStep;
        std::array<Text, 2> steps = {Text(passes[0], texts[0], states[0], masks[0]),
                                     Text(passes[1], texts[1], states[1], masks[1])};
        read(*engine, buffers, together, steps, passes, rows, found[together]);
      }
    }
    EXPECT_EQ(found[0][1].size(), 3U * static_cast<std::size_t>(rows[1]));
    EXPECT_EQ(found[0], found[1]) << draft::name_of(shape.flavour) << shape.token_inputs;
  }
}

TEST(SharedSteps, OfTokensOneByOneAreThoseOfEachAlone) {
  const test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto model = std::make_shared<const draft::ParallelSpecModel>(
      test::tiny_parallelspec(target.model, {Flavour::kEagleAr, true, 0}, 5));
  const std::shared_ptr<engine::Engine> engine = target.engine.beside(model->layer, {});
  using Rows = std::vector<draft::ParallelSpecPasses::DraftedRow>;
  constexpr int kText = draft::ParallelSpecPasses::DraftedRow::kText;
  const std::array<std::vector<Token>, 2> texts = {{{3, 1, 4, 1}, {5, 9, 2}}};
  const std::array<std::array<Rows, 2>, 2> levels = {
      {{Rows{{7, kText}, {8, kText}}, Rows{{9, kText}, {1, kText}, {2, kText}}},
       {Rows{{6, 1}}, Rows{{4, 2}, {3, 0}}}}};
  const std::array<std::vector<float>, 2> states = {random_states(3, model->layer.config.width, 7),
                                                    random_states(2, model->layer.config.width, 8)};
  std::array<OfBoth, 2> found;
  for (const bool together : {false, true}) {
    std::array<draft::ParallelSpecPasses, 2> passes = {draft::ParallelSpecPasses(model, engine, 8),
                                                       draft::ParallelSpecPasses(model, engine, 8)};
    // States of a pass are read by the next one of its sequence, so that each has a pass of its own.
    std::array<engine::Pass, 2> buffers;
    using Text = draft::ParallelSpecPasses::RealRowsStep;
    std::array<Text, 2> text_steps = {Text(passes[0], texts[0], states[0], 0),
                                      Text(passes[1], texts[1], states[1], 0)};
    read(*engine, buffers, together, text_steps, passes, {1, 1}, found[together]);
    for (const auto& level : levels) {
      std::array<draft::ParallelSpecPasses::DraftedStep, 2> steps = {
          draft::ParallelSpecPasses::DraftedStep(passes[0], level[0]),
          draft::ParallelSpecPasses::DraftedStep(passes[1], level[1])};
      if (together) forward(*engine, buffers[0], true, {steps.data(), &steps[1]});
      for (std::size_t i = 0; i < 2; ++i) {
        if (!together) forward(*engine, buffers[i], false, {&steps[i]});
        add_logits(passes[i], static_cast<int>(level[i].size()), found[together][i]);
      }
    }
  }
  EXPECT_EQ(found[0][0].size() + found[0][1].size(), 10U);
  EXPECT_EQ(found[0], found[1]);
}

TEST(SharedSteps, OfMedusasHeadsAreThoseOfEachAlone) {
  const test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto model = std::make_shared<const draft::ParallelSpecModel>(
      test::tiny_parallelspec(target.model, {Flavour::kMedusaHeads, false, 3}, 5));
  const std::shared_ptr<engine::Engine> residual = target.engine.beside(model->residual, {});
  const std::shared_ptr<engine::Engine> head = target.engine.beside(model->layer, {});
  const std::array<std::vector<float>, 2> states = {random_states(1, model->layer.config.width, 7),
                                                    random_states(1, model->layer.config.width, 8)};
  const std::array<int, 2> heads = {2, 3};
  std::array<std::vector<Logits>, 2> found;
  for (const bool together : {false, true}) {
    std::array<draft::MedusaHeadsPasses, 2> passes = {
        draft::MedusaHeadsPasses(model, residual, head),
        draft::MedusaHeadsPasses(model, residual, head)};
    using Blocks = draft::MedusaHeadsPasses::BlocksStep;
    using Heads = draft::MedusaHeadsPasses::HeadsStep;
    std::array<Blocks, 2> blocks = {Blocks(passes[0], states[0], heads[0]),
                                    Blocks(passes[1], states[1], heads[1])};
    std::array<Heads, 2> logits = {Heads(passes[0], heads[0]), Heads(passes[1], heads[1])};
    engine::Pass of_blocks, of_heads;
    forward(*residual, of_blocks, together, {blocks.data(), &blocks[1]});
    if (together) forward(*head, of_heads, true, {logits.data(), &logits[1]});
    for (std::size_t i = 0; i < 2; ++i) {
      if (!together) forward(*head, of_heads, false, {&logits[i]});
      add_logits(passes[i], heads[i], found[together]);
    }
  }
  EXPECT_EQ(found[0].size(), 5U);
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace outrider::decode
