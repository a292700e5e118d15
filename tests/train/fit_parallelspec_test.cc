#include "train/parallelspec/fit_parallelspec.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/expect_input_error.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"

namespace outrider::train {
namespace {

using test::SmallTarget;

constexpr std::size_t kWidth = 64;

ParallelSpecObjective objective_of(const SmallTarget& target) {
  return {target.model,
          test::two_of_three(target.model.config.vocab),
          {.final_norm = false},
          at::kDouble};
}

/// Traces of which each state is half the one before it and a multiple of its token's embedding, with noise.
/// @param tokens  of each answer
std::vector<data::Trace> linear_traces(ParallelSpecObjective& objective, int vocab, int count,
                                       int tokens, float noise, std::uint64_t seed) {
  const at::Tensor embedding = objective.layer_drafter()->embedding();
  const auto of_token = embedding.accessor<double, 2>();
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<data::Trace> traces;
  for (int i = 0; i < count; ++i) {
    data::Trace trace = test::trace_with_states(4, tokens, vocab, 0, seed + std::uint64_t(i));
    trace.id = std::to_string(seed) + "/" + std::to_string(i);
    std::vector<Bfloat16>& states = trace.states.front().values;
    for (std::size_t j = 1; j < trace.positions(); ++j) {
      const Token token = j < 4 ? trace.prompt_tokens[j] : trace.output_tokens[j - 4];
      for (std::size_t k = 0; k < kWidth; ++k) {
        const float before = bfloat16_to_float(states[kWidth * (j - 1) + k]);
        const auto part = static_cast<float>(10 * of_token[token][static_cast<std::int64_t>(k)]);
        states[kWidth * j + k] = float_to_bfloat16(0.5F * before + part + noise * normal(random));
      }
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

ParallelSpecFit fit(ParallelSpecObjective& objective, std::span<const data::Trace> traces,
                    std::size_t at_a_time) {
  ParallelSpecFitter fitter(objective);
  for (std::size_t i = 0; i < traces.size(); i += at_a_time)
    fitter.add(traces.subspan(i, std::min(at_a_time, traces.size() - i)));
  return fitter.finish();
}

/// What fc reads and is to tell at every answer token of traces.
LeastSquares rows_of(ParallelSpecObjective& objective, std::span<const data::Trace> traces) {
  const at::NoGradGuard no_gradients;
  const GroupBatch batch = objective.batch(traces);
  const at::Tensor counted = batch.counted.select(1, 0).nonzero().squeeze(1);
  LeastSquares rows;
  rows.add(objective.layer_drafter()
               ->inputs(batch, Precision::kF32)
               .index_select(0, batch.real_rows.index_select(0, counted)),
           batch.wanted.select(1, 0).index_select(0, counted));
  return rows;
}

TEST(FitParallelSpec, SolvesWhatIsLinear) {
  const SmallTarget target;
  ParallelSpecObjective objective = objective_of(target);
  const std::vector<data::Trace> traces =
      linear_traces(objective, target.model.config.vocab, 12, 40, 0, 0);
  const ParallelSpecFit found = fit(objective, traces, 12);
  EXPECT_GT(found.explained, 0.99);
  EXPECT_EQ(found.ridge, 1e-3);
  EXPECT_EQ(found.rows, rows_of(objective, traces).rows());
  const GroupBatch batch = objective.batch(traces);
  const GroupStream stream = objective.layer_drafter()->stream_parts(batch, Precision::kF32);
  const auto size = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
  EXPECT_NEAR(size(stream.feed_forward) / size(stream.begun), 0.15, 0.03);
  EXPECT_NEAR(size(stream.attention) / size(stream.begun), 0.15, 0.03);
  test::expect_input_error([&] { fit(objective, {}, 1); }, "found none in the first 0 traces");
}

TEST(FitParallelSpec, FindsTheSameOfTracesInPieces) {
  const SmallTarget target;
  ParallelSpecObjective whole = objective_of(target), pieces = objective_of(target);
  const std::vector<data::Trace> traces =
      linear_traces(whole, target.model.config.vocab, 12, 30, 1, 5);
  const ParallelSpecFit of_whole = fit(whole, traces, 12), of_pieces = fit(pieces, traces, 1);
  EXPECT_EQ(of_pieces.rows, of_whole.rows);
  EXPECT_EQ(of_pieces.ridge, of_whole.ridge);
  EXPECT_NEAR(of_pieces.explained, of_whole.explained, 1e-9);
  EXPECT_LT((whole.layer_drafter()->fc() - pieces.layer_drafter()->fc()).abs().max().item<double>(),
            1e-9);
}

// Of twice as many rows as inputs, most of it noise, the least ridge learns the noise.
TEST(FitParallelSpec, TellsOtherTextsBetterThanALeastRidge) {
  const SmallTarget target;
  ParallelSpecObjective objective = objective_of(target);
  const int vocab = target.model.config.vocab;
  const std::vector<data::Trace> few = linear_traces(objective, vocab, 32, 8, 3, 100);
  const std::vector<data::Trace> others = linear_traces(objective, vocab, 40, 40, 3, 9000);
  const LeastSquares seen = rows_of(objective, few), unseen = rows_of(objective, others);
  const double of_least = unseen.explained(seen.solve(1e-3));
  const ParallelSpecFit found = fit(objective, few, 4);
  const double of_found = unseen.explained(objective.layer_drafter()->fc().detach().t());
  EXPECT_GT(found.ridge, 1e-3);
  EXPECT_GT(of_found, of_least + 0.1);
  EXPECT_GT(seen.explained(seen.solve(1e-3)), of_least + 0.3);  // so the data tell the difference
  EXPECT_NEAR(found.explained, of_found, 0.15);                 // what it says of itself
}

TEST(FitParallelSpec, ReadsAsManyTokensForEachInputOfAWiderTarget) {
  const SmallTarget target;
  ParallelSpecObjective objective = objective_of(target);
  EXPECT_EQ(tokens_to_fit(objective), 32'768);
  const test::TemporaryFolder folder;
  const model::Model wide = model::load_model(test::write_tiny_llama(
      folder.path(), "wide.gguf", {.layers = 1, .width = 1152}, 3, model::WeightType::kF32));
  ParallelSpecObjective of_wide(wide, {0, 1, 2}, {});
  EXPECT_EQ(tokens_to_fit(of_wide), 65'536);
  ParallelSpecObjective without_fc(wide, {0, 1, 2},
                                   {.shape = {.flavour = Flavour::kMedusa, .token_inputs = false}});
  EXPECT_EQ(tokens_to_fit(without_fc), 32'768);
}

}  // namespace
}  // namespace outrider::train
