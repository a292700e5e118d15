#include "train/parallel/fit_parallel.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/train/parallel_traces.h"
#include "tests/train/small_target.h"

namespace outrider::train {
namespace {

using test::SmallTarget;

TEST(FitParallel, SolvesWhatIsLinear) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelObjective objective(target.model, test::two_of_three(vocab), {.final_norm = false},
                              at::kDouble);
  // States of which each is half the one before it, and a multiple of its token's embedding.
  std::vector<data::Trace> traces;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    data::Trace trace = test::trace_with_states(4, 40, vocab, 0, seed);
    std::vector<Bfloat16>& states = trace.states.front().values;
    for (std::size_t j = 1; j < trace.positions(); ++j) {
      const Token token = j < 4 ? trace.prompt_tokens[j] : trace.output_tokens[j - 4];
      for (std::size_t i = 0; i < 64; ++i) {
        const double e = objective.layer_drafter()
                             ->embedding()[token][static_cast<std::int64_t>(i)]
                             .item<double>();
        states[64 * j + i] = float_to_bfloat16(static_cast<float>(
            0.5 * static_cast<double>(bfloat16_to_float(states[64 * (j - 1) + i])) + 10 * e));
      }
    }
    traces.push_back(std::move(trace));
  }
  const ParallelFit fit = fit_parallel(objective, traces);
  EXPECT_GT(fit.explained, 0.99);
  const GroupBatch batch = objective.batch(traces);
  const GroupStream stream = objective.layer_drafter()->stream_parts(batch, Precision::kF32);
  const auto size = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
  EXPECT_NEAR(size(stream.feed_forward) / size(stream.begun), 0.15, 0.03);
  EXPECT_NEAR(size(stream.attention) / size(stream.begun), 0.15, 0.03);
  test::expect_input_error([&] { fit_parallel(objective, {}); },
                           "found none in the first 0 traces");
}

}  // namespace
}  // namespace outrider::train
