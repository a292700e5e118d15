// The shipped drafters, as training computes them and as the runtime serves them, on pages of this repository.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/draft/parallelspec/parallelspec_passes.h"
#include "runtime/engine/forward_text.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/default_model.h"
#include "tests/support/source_path.h"
#include "tests/train/random_trace.h"
#include "train/draft/draft_model.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::train {
namespace {

constexpr int kPrompt = 8;

class ShippedDrafters : public test::DefaultModel {
 protected:
  void SetUp() override {
    test::DefaultModel::SetUp();
    if (IsSkipped()) return;
    shipped_ = std::make_unique<artifacts::ArtifactSet>(
        artifacts::identity_of(model_), test::source_path("checkpoints"), artifacts::Folders{});
    const text::Tokenizer tokenizer(model_.tokenizer);
    for (const char* page : {"README.md", "results/graphs.md", "results/methods.md"}) {
      std::ifstream file(test::source_path(page));
      const std::string text(std::istreambuf_iterator<char>(file), {});
      const std::vector<Token> more = tokenizer.encode(text, false);
      text_.insert(text_.end(), more.begin(), more.end());
    }
  }

  /// Traces of so many tokens of the pages each, one after the other.
  std::vector<data::Trace> traces(int count, int tokens) const {
    std::vector<data::Trace> all;
    if (std::ssize(text_) < count * tokens) throw std::logic_error("the pages are too short");
    for (int i = 0; i < count; ++i) {
      data::Trace& trace =
          all.emplace_back(test::made_trace(kPrompt, tokens - kPrompt, 4, 1, 0, 1));
      const auto begin = text_.begin() + i * tokens;
      trace.prompt_tokens.assign(begin, begin + kPrompt);
      trace.output_tokens.assign(begin + kPrompt, begin + tokens);
      trace.in_loop.assign(trace.output_tokens.size(), 0);
    }
    return all;
  }
  static std::vector<Token> tokens_of(const data::Trace& trace) {
    std::vector<Token> tokens = trace.prompt_tokens;
    tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end());
    return tokens;
  }
  static std::unique_ptr<engine::Engine> float_engine(const model::Model& model) {
    return engine::make_engine(model, {.numerics = engine::Numerics::kF32, .threads = 1});
  }

  std::unique_ptr<artifacts::ArtifactSet> shipped_;
  std::vector<Token> text_;
};

/// How often two engines have the same best token, and the most that the best two logits are apart elsewhere.
class Agreement {
 public:
  /// @param trained  [n] float
  void add(const at::Tensor& trained, std::span<const float> served) {
    ASSERT_EQ(trained.numel(), std::ssize(served));
    const float* logits = trained.const_data_ptr<float>();
    const auto best = std::max_element(served.begin(), served.end()) - served.begin();
    const auto of_trained = std::max_element(logits, logits + served.size()) - logits;
    ++positions_;
    same_ += best == of_trained;
    gap_ = std::max(gap_, served[static_cast<std::size_t>(best)] -
                              served[static_cast<std::size_t>(of_trained)]);
  }
  void expect_close(int positions) const {
    EXPECT_GE(positions_, positions);
    EXPECT_GE(same_, 0.995 * positions_);
    EXPECT_LT(gap_, 1e-3);
  }

 private:
  int positions_ = 0;
  int same_ = 0;
  float gap_ = 0;
};

TEST_F(ShippedDrafters, TheDraftModelIsServedAsItIsTrained) {
  const at::NoGradGuard no_gradients;
  const artifacts::ArtifactFile* file = shipped_->with(artifacts::kDraft);
  ASSERT_NE(file, nullptr);
  const model::Model shipped = artifacts::read_draft(*file, model_);
  DraftModel draft(model_, std::vector{1, model_.config.layers}, shipped.head_tokens, at::kFloat);
  draft.start_from(shipped);
  const model::Model served = draft.model(model_);
  const auto engine = float_engine(served);
  Agreement agreement;
  for (const data::Trace& trace : traces(10, 512)) {
    const PackedBatch batch = pack({&trace, 1}, draft.head_rows(), Predicted::kAll);
    const at::Tensor logits = at::linear(draft.mapped(batch, Precision::kF32), draft.head());
    const std::vector<Token> tokens = tokens_of(trace);
    // The row before each output token predicts it.
    std::int64_t output = 0;
    engine::forward_text(*engine, std::span(tokens).first(tokens.size() - 1),
                         {.observed_from = kPrompt - 1, .logits_from = kPrompt - 1},
                         [&](const engine::Pass& pass, int) {
                           for (int row = 0; row < std::ssize(pass.rows); ++row)
                             agreement.add(logits[output++], pass.row_logits(row));
                         });
  }
  agreement.expect_close(5000);
}

TEST_F(ShippedDrafters, TheParallelDrafterIsServedAsItIsTrainedAtEverySlot) {
  const at::NoGradGuard no_gradients;
  const artifacts::ArtifactFile* file =
      shipped_->with(artifacts::parallelspec_group(Flavour::kEagle));
  ASSERT_NE(file, nullptr);
  const draft::ParallelSpecModel shipped =
      artifacts::read_parallelspec(*file, model_, Flavour::kEagle);
  ParallelSpecObjective objective(model_, shipped.layer.head_tokens,
                                  {.shape = {.masks = shipped.masks()},
                                   .final_norm = shipped.layer.final_norm.rows > 0,
                                   .groups = 0});
  objective.served_drafter()->start_from(shipped);
  const auto served = std::make_shared<const draft::ParallelSpecModel>(objective.to_model());
  const std::shared_ptr<engine::Engine> engine = float_engine(served->layer);
  const auto target = engine::make_engine(model_, {.threads = 1});
  std::vector<Agreement> agreements(static_cast<std::size_t>(served->most_drafts()));
  for (data::Trace& trace : traces(3, 192)) {
    const std::vector<Token> tokens = tokens_of(trace);
    data::LayerStates& states = trace.states.emplace_back();
    states.layer = engine::kFinalNorm;
    std::vector<float> given;  // the same, rounded to bf16 as training reads them
    engine::forward_text(*target, std::span(tokens).first(trace.positions()),
                         {.request = {.layers = {engine::kFinalNorm}}},
                         [&](const engine::Pass& pass, int) {
                           for (int row = 0; row < std::ssize(pass.rows); ++row)
                             for (const float x : pass.observed.state(engine::kFinalNorm, row)) {
                               states.values.push_back(float_to_bfloat16(x));
                               given.push_back(bfloat16_to_float(states.values.back()));
                             }
                         });
    const GroupBatch batch = objective.batch({&trace, 1});
    const at::Tensor outputs = objective.drafter().outputs(batch, Precision::kF32);
    const at::Tensor logits = at::linear(outputs.flatten(0, 1), objective.drafter().head());
    draft::ParallelSpecPasses passes(served, engine, served->masks());
    const auto width = static_cast<std::size_t>(model_.config.width);
    for (std::size_t group = 0; group < batch.groups.size(); ++group) {
      const int committed = kPrompt + batch.groups[group].second;
      const auto from = static_cast<std::size_t>(passes.slots()) * width;
      const std::size_t count = static_cast<std::size_t>(passes.slots_of(committed)) * width - from;
      passes.forward(std::span(tokens).first(static_cast<std::size_t>(committed)),
                     std::span(given).subspan(from, count), served->masks());
      for (std::size_t slot = 0; slot < agreements.size(); ++slot)
        agreements[slot].add(logits[static_cast<std::int64_t>(group * agreements.size() + slot)],
                             passes.logits(static_cast<int>(slot)).numbers());
    }
  }
  for (const Agreement& agreement : agreements) agreement.expect_close(500);
}

}  // namespace
}  // namespace outrider::train
