#include "train/parallelspec/export_drafter.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/fit_parallelspec.h"
#include "train/reference/reference_model.h"

namespace outrider::train {
namespace {

using test::SmallTarget;

const ParallelSpecOptions kOptions = {
    .shape = {.masks = 2, .exported = ExportShape{.layers = {1, 2, 3}, .mask_token = 7}},
    .groups = 0};

/// A trace's states of a layer: [positions, 64].
at::Tensor states_of(const data::Trace& trace, std::size_t layer) {
  std::vector<float> values;
  for (const Bfloat16 value : trace.states[layer].values)
    values.push_back(bfloat16_to_float(value));
  return at::tensor(values).view({-1, 64}).to(at::kDouble);
}

TEST(ExportDrafter, BeginsAsTheTargetsLastLayerOnTheLastOfTheStates) {
  const SmallTarget target(4);
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), kOptions, at::kDouble);
  const std::vector<data::Trace> traces = {
      test::trace_with_states(6, 9, vocab, 0, 1, kOptions.shape.state_layers())};
  const GroupBatch batch = objective.batch(traces);
  const at::Tensor outputs = objective.drafter().outputs(batch, Precision::kF32);
  const ReferenceModel reference(target.model, at::kDouble);
  const ReferenceRows rows = text_rows(std::vector<Token>(traces[0].positions(), 0));
  const at::Tensor expected = reference.final_norm(
      reference.layer(4, states_of(traces[0], 2), reference.rope(rows.positions, 4), rows.visible));
  ASSERT_GT(batch.groups.size(), 3u);
  for (std::size_t group = 0; group < batch.groups.size(); ++group) {
    // The state before the last token that is committed.
    const int position = 6 + batch.groups[group].second - 2;
    EXPECT_TRUE(
        at::allclose(outputs[static_cast<std::int64_t>(group)][0], expected[position], 1e-9, 1e-9))
        << group;
  }
}

TEST(ExportDrafter, MasksBeginAsWhatRealRowsRead) {
  const SmallTarget target(4);
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), kOptions);
  const std::vector<data::Trace> traces = {
      test::trace_with_states(6, 9, vocab, 0, 2, kOptions.shape.state_layers())};
  fit_masks(objective, traces);
  std::vector<at::Tensor> read;
  const at::Tensor states =
      at::cat({states_of(traces[0], 0), states_of(traces[0], 1), states_of(traces[0], 2)}, 1);
  for (const std::int32_t start : possible_starts(traces[0], kOptions.shape))
    read.push_back(states[6 + start - 2]);
  const ExportDrafter& drafter = *objective.export_drafter();
  EXPECT_TRUE(at::allclose(drafter.mask_hidden().detach().to(at::kDouble),
                           at::stack(read).mean(0).unsqueeze(0), 1e-5, 1e-6));
}

TEST(ExportShape, IsByDefaultThatOfVllm) {
  model::Model target;
  target.config.layers = 30;
  target.tokenizer.kinds.assign(5, text::TokenKind::kNormal);
  target.tokenizer.end_tokens = {2};
  EXPECT_EQ(default_export_shape(target).layers, (std::vector{2, 15, 27}));
  EXPECT_EQ(default_export_shape(target).mask_token, 2);
  target.tokenizer.kinds[3] = target.tokenizer.kinds[4] = text::TokenKind::kUnused;
  EXPECT_EQ(default_export_shape(target).mask_token, 3);
}

TEST(ExportShape, IsRefusedWhereVllmCouldNotServeIt) {
  const SmallTarget target(4);
  const auto check = [&](std::vector<int> layers, Token mask_token, const std::string& message) {
    test::expect_input_error(
        [&] {
          check_export_shape({std::move(layers), mask_token}, target.model);
        },
        message);
  };
  const std::string ascending = "--state-layers: expected 3 layers in ascending order from 1 to 3";
  for (const std::vector<int>& layers :
       {std::vector{2, 3, 4}, {0, 1, 2}, {1, 2}, {1, 1, 2}, {3, 2, 1}, {2, 2, 1}})
    check(layers, 0, ascending);
  check({1, 2, 4}, 0, "the target has 4; found 1, 2, 4");
  for (const Token token : {-1, target.model.config.vocab})
    check({1, 2, 3}, token, "--mask-token: expected one of the target's");
  check_export_shape({{1, 2, 3}, 0}, target.model);
  model::Model scaled = target.model;
  scaled.config.rope_divisors.assign(16, 1.5F);
  test::expect_input_error(
      [&] {
        check_export_shape({{1, 2, 3}, 0}, scaled);
      },
      "--export-shape vllm: expected a target with plain rotary positions");
}

}  // namespace
}  // namespace outrider::train
