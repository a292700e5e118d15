#include "tests/support/state_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "runtime/certify/certificate.h"
#include "runtime/certify/row_state.h"
#include "tests/support/tiny_engine.h"

namespace outrider::certify {
namespace {

using Stored = std::pair<model::WeightType, engine::Numerics>;

/// A model over states, without a final norm.
struct StateModel {
  std::vector<std::byte> bytes;
  model::Model model;
  std::unique_ptr<engine::Engine> engine;

  explicit StateModel(const Stored& stored)
      : bytes(test::tiny_llama_gguf({.head_width = 32}, 3, stored.first)),
        model(test::state_model(model::parse_model(bytes, "tiny"), stored.first, 8)),
        engine(engine::make_engine(model, {.numerics = stored.second, .threads = 2})) {}
};

std::vector<double> product(const model::Weight& matrix, std::span<const float> x) {
  std::vector<double> out;
  std::vector<float> row(static_cast<std::size_t>(matrix.columns));
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    matrix.read_row(r, row.data());
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += double{row[i]} * double{x[i]};
    out.push_back(sum);
  }
  return out;
}

/// The largest difference of two rows, in parts of the largest number.
double distance(const std::vector<double>& expected, std::span<const float> found) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - double{found[i]}));
  }
  return difference / largest;
}

class StateModels : public testing::TestWithParam<Stored> {};

TEST_P(StateModels, BeginWithTheProjectionAndEndWithoutANorm) {
  const StateModel made(GetParam());
  const auto cache = made.engine->make_cache(8);
  const int last = made.model.config.layers;
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.request = {.layers = {0, last, engine::kFinalNorm}};
  std::vector<std::vector<float>> states;
  for (const Token token : {5, 90, 33}) {
    states.push_back(state_for(token, *made.engine));
    ASSERT_EQ(states.back().size(), 128u);
    const int parent = static_cast<int>(pass.rows.size()) - 1;
    pass.rows.push_back({token, 0, parent, true, nullptr});
  }
  for (std::size_t i = 0; i < states.size(); ++i) pass.rows[i].state = states[i].data();
  made.engine->forward(pass);
  // Quantised activations have 8 bits.
  const double tolerance = GetParam().second == engine::Numerics::kInt8 ? 0.02 : 1e-5;
  for (int i = 0; i < 3; ++i) {
    const auto expected = product(made.model.state_projection, states[static_cast<std::size_t>(i)]);
    EXPECT_LT(distance(expected, pass.observed.state(0, i)), tolerance) << i;
    const auto output = pass.observed.state(last, i);
    const auto normed = pass.observed.state(engine::kFinalNorm, i);
    EXPECT_TRUE(std::equal(output.begin(), output.end(), normed.begin())) << i;
    EXPECT_LT(distance(product(made.model.head, output), pass.row_logits(i)), tolerance) << i;
  }
}

TEST_P(StateModels, AreCertified) {
  const StateModel made(GetParam());
  CertifyOptions options;
  options.max_context = 60;
  const Certificate certificate =
      certify(*made.engine, options, [](const Certificate& c) { return c.cases < 3; });
  EXPECT_EQ(certificate.difference.value_or("none"), "none");
  for (const CertifyCounts& counts : certificate.counts) {
    EXPECT_GT(counts.logits_rows, 0);
    EXPECT_EQ(counts.state_rows, counts.rows);
  }
}

TEST_P(StateModels, TakeNoTokens) {
  const StateModel made(GetParam());
  const auto cache = made.engine->make_cache(8);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.rows = {{.token = 5}};
  EXPECT_THROW(made.engine->forward(pass), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(, StateModels,
                         testing::Values(Stored{model::WeightType::kF32, engine::Numerics::kF32},
                                         Stored{model::WeightType::kBF16, engine::Numerics::kBf16},
                                         Stored{model::WeightType::kQ8_0, engine::Numerics::kInt8},
                                         Stored{model::WeightType::kQ4_1,
                                                engine::Numerics::kInt8}));

TEST(StateModel, ProjectionHasTheShapeThatTheModelSays) {
  const auto bytes = test::tiny_llama_gguf({.head_width = 32}, 3, model::WeightType::kF32);
  model::Model model =
      test::state_model(model::parse_model(bytes, "tiny"), model::WeightType::kF32, 8);
  model.config.state_inputs = 64;
  EXPECT_THROW(engine::make_engine(model, {}), std::logic_error);
}

}  // namespace
}  // namespace outrider::certify
