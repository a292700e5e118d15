// The trained drafter in the runtime's engine, and its validation.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/draft/parallelspec/medusa_heads_passes.h"
#include "runtime/engine/engine.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/validate_parallelspec.h"

namespace outrider::train {
namespace {

using test::SmallTarget;

/// A trace's state at a position.
std::vector<float> state_at(const data::Trace& trace, std::size_t width, int position) {
  std::vector<float> state;
  for (std::size_t i = 0; i < width; ++i)
    state.push_back(bfloat16_to_float(
        trace.states.front().values[width * static_cast<std::size_t>(position) + i]));
  return state;
}

/// The served drafter in the runtime's engine: its logits of all slots after `root`, the position of the last
/// committed token.
std::vector<std::vector<float>> served_logits(const draft::ParallelSpecModel& model,
                                              engine::Engine& engine, const at::Tensor& embedding,
                                              const data::Trace& trace, int root) {
  const auto width = static_cast<std::size_t>(model.layer.config.width);
  const bool eagle = draft::ParallelSpecModel::reads_pairs(model.flavour);
  std::vector<Token> text = trace.prompt_tokens;
  text.insert(text.end(), trace.output_tokens.begin(), trace.output_tokens.end());
  std::vector<std::vector<float>> rows;
  const auto add_state = [&](int position, std::vector<float>& row) {
    const std::vector<float> state = state_at(trace, width, position);
    row.insert(row.end(), state.begin(), state.end());
  };
  for (int j = eagle ? 1 : 0; j <= (model.token_inputs ? root : root - 1); ++j) {
    std::vector<float>& row = rows.emplace_back();
    if (eagle) add_state(j - 1, row);
    if (!model.token_inputs) add_state(j, row);
    if (model.token_inputs)
      for (std::size_t i = 0; i < width; ++i)
        row.push_back(embedding[text[static_cast<std::size_t>(j)]][static_cast<std::int64_t>(i)]
                          .item<float>());
  }
  for (std::size_t mask = 0; mask < static_cast<std::size_t>(model.masks()); ++mask) {
    std::vector<float>& row = rows.emplace_back();
    for (const std::vector<float>* part : {&model.mask_features, &model.mask_embeddings})
      if (!part->empty())
        row.insert(row.end(), part->begin() + static_cast<std::ptrdiff_t>(mask * width),
                   part->begin() + static_cast<std::ptrdiff_t>((mask + 1) * width));
  }
  const auto cache = engine.make_cache(static_cast<int>(rows.size()));
  engine::Pass pass;
  pass.add_chain(0, std::vector<Token>(rows.size(), 0), true);
  pass.sequences = {cache.get()};
  for (std::size_t i = 0; i < rows.size(); ++i) pass.rows[i].state = rows[i].data();
  engine.forward(pass);
  std::vector<std::vector<float>> logits;
  for (int i = static_cast<int>(rows.size()) - model.masks() - (model.token_inputs ? 1 : 0);
       i < static_cast<int>(rows.size()); ++i) {
    const auto row = pass.row_logits(i);
    logits.emplace_back(row.begin(), row.end());
  }
  return logits;
}

/// The same of Medusa's heads.
class ServedHeads {
 public:
  explicit ServedHeads(const draft::ParallelSpecModel& model)
      : model_(std::make_shared<const draft::ParallelSpecModel>(model)),
        passes_(model_, engine_of(model_->residual), engine_of(model_->layer)) {}

  std::vector<std::vector<float>> logits(const data::Trace& trace, int root) {
    const auto width = static_cast<std::size_t>(model_->layer.config.width);
    passes_.forward(state_at(trace, width, root - 1), model_->masks());
    std::vector<std::vector<float>> logits;
    for (int slot = 0; slot < model_->masks(); ++slot)
      logits.emplace_back(passes_.logits(slot).numbers().begin(),
                          passes_.logits(slot).numbers().end());
    return logits;
  }

 private:
  static std::shared_ptr<engine::Engine> engine_of(const model::Model& model) {
    return engine::make_engine(model, {.numerics = engine::Numerics::kF32, .threads = 1});
  }

  std::shared_ptr<const draft::ParallelSpecModel> model_;
  draft::MedusaHeadsPasses passes_;
};

TEST(ParallelSpecDrafter, IsServedAsItIsTrainedAndValidated) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  int seed = 1;
  for (const ParallelSpecShape& shape : {ParallelSpecShape{Flavour::kEagle, true, 3},
                                         {Flavour::kMedusa, true, 2},
                                         {Flavour::kMedusa, false, 2},
                                         {Flavour::kEagleAr, true, 0},
                                         {Flavour::kMedusaHeads, false, 3}}) {
    SCOPED_TRACE(seed);
    ParallelSpecObjective objective(target.model, test::two_of_three(vocab),
                                    {.shape = shape, .final_norm = seed != 2, .groups = 0});
    test::perturb_all(objective, static_cast<std::uint64_t>(seed));
    data::Trace trace =
        test::trace_with_states(6, 30, vocab, 0, static_cast<std::uint64_t>(50 + seed));
    trace.in_loop.assign(trace.in_loop.size(), 0);
    const draft::ParallelSpecModel served = objective.to_model();
    EXPECT_EQ(served.masks(), shape.masks);
    if (shape.masks > 0) {
      EXPECT_EQ(served.most_drafts(), shape.slots());
    }
    const auto engine =
        engine::make_engine(served.layer, {.numerics = engine::Numerics::kF32, .threads = 1});
    std::optional<ServedHeads> heads;
    if (served.has_heads()) heads.emplace(served);
    const auto logits_after = [&](int output) {
      const int root = 6 + output - 1;
      return heads ? heads->logits(trace, root)
                   : served_logits(served, *engine, objective.layer_drafter()->embedding(), trace,
                                   root);
    };
    const auto drafts_after = [&](int output) {
      std::vector<Token> drafts;
      for (const std::vector<float>& row : logits_after(output))
        drafts.push_back(served.layer.head_tokens[static_cast<std::size_t>(
            std::max_element(row.begin(), row.end()) - row.begin())]);
      return drafts;
    };
    // A text that agrees with the first draft now and then.
    for (std::size_t output = 0; output < trace.output_tokens.size(); ++output) {
      if (output % 4 == 1) continue;
      const Token draft = drafts_after(static_cast<int>(output)).front();
      trace.output_tokens[output] = trace.top_ids[4 * output] = draft;
    }
    const std::vector<data::Trace> traces = {trace};
    const GroupBatch batch = objective.batch(traces);
    const at::Tensor logits =
        at::linear(objective.drafter().outputs(batch, Precision::kF32), objective.drafter().head());
    std::vector<std::vector<bool>> agrees(trace.output_tokens.size());
    double largest = 0;
    ASSERT_EQ(batch.groups.size(), trace.output_tokens.size());
    for (std::size_t group = 0; group < batch.groups.size(); ++group) {
      const int output = batch.groups[group].second;
      const auto found = logits_after(output);
      for (std::size_t slot = 0; slot < found.size(); ++slot) {
        const at::Tensor row =
            logits[static_cast<std::int64_t>(group)][static_cast<std::int64_t>(slot)];
        const float* expected = row.const_data_ptr<float>();
        for (std::size_t i = 0; i < found[slot].size(); ++i)
          largest = std::max(largest, double{std::abs(found[slot][i] - expected[i])});
      }
      const std::vector<Token> drafts = drafts_after(output);
      for (std::size_t slot = 0; slot < drafts.size(); ++slot) {
        const std::size_t label = static_cast<std::size_t>(output) + slot;
        agrees[group].push_back(label < trace.output_tokens.size() &&
                                drafts[slot] == trace.output_tokens[label]);
      }
    }
    EXPECT_LT(largest, 1e-3 * logits.abs().max().item<double>());

    // Rounds one after the other, as they would be decoded.
    double tokens = 0, passes = 0;
    for (std::size_t at = 0; at < agrees.size(); ++passes) {
      std::size_t agreed = 0;
      while (agreed < agrees[at].size() && agrees[at][agreed]) ++agreed;
      tokens += static_cast<double>(agreed + 1);
      at += agreed + 1;
    }
    EXPECT_GT(tokens / passes, 1.3);
    const Validation validation = objective.validate(traces);
    EXPECT_NEAR(validation.score, tokens / passes, 1e-9);
    ++seed;
  }
}

}  // namespace
}  // namespace outrider::train
