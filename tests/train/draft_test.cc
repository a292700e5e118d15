#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "runtime/engine/engine.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"
#include "tests/train/gradient_check.h"
#include "tests/train/random_trace.h"
#include "tests/train/small_target.h"
#include "train/draft/draft_objective.h"
#include "train/draft/fit_draft.h"
#include "train/reference/load_weight.h"
#include "train/reference/reference_model.h"

namespace outrider::train {
namespace {

std::vector<Token> every_third_token(int vocab) {
  std::vector<Token> tokens;
  for (Token token = 0; token < vocab; token += 3) tokens.push_back(token);
  return tokens;
}

/// Texts of several lengths, one of a single output token, one wholly in a loop.
std::vector<data::Trace> some_traces(int vocab) {
  std::vector<data::Trace> traces;
  const int lengths[][2] = {{9, 14}, {1, 6}, {30, 1}, {5, 40}};
  for (const auto& [prompt, output] : lengths)
    traces.push_back(
        test::made_trace(prompt, output, vocab, 4, traces.size() % 2 == 0 ? 0 : 1, traces.size()));
  traces.push_back(test::made_trace(4, 8, vocab, 4, 0, 9));
  traces.back().in_loop.assign(8, 1);
  return traces;
}

/// The parameters after random changes, so that no norm is 1 and no map the identity.
void perturb(DraftObjective& objective, std::uint64_t seed, double by = 0.1) {
  const at::NoGradGuard no_gradients;
  for (const Parameter& parameter : objective.parameters())
    parameter.value.add_(by *
                         test::random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
}

/// Copies the draft's layers into a target's file of f32 weights, and reads it as the reference.
ReferenceModel reference_of(const DraftObjective& objective) {
  return ReferenceModel(objective.to_model(), at::kDouble);
}

/// The loss of the texts written down plainly: the reference's layers on each by itself, ordinary softmax.
double plain_loss(const DraftObjective& objective, std::span<const data::Trace> traces) {
  const ReferenceModel reference = reference_of(objective);
  const HeadRows& head = objective.draft().head_rows();
  const auto& [hard_share, label] = objective.options().loss;
  double soft = 0, hard = 0;
  for (const data::Trace& trace : traces) {
    std::vector<Token> tokens = trace.prompt_tokens;
    tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end());
    const at::Tensor log_q = reference.forward(text_rows(tokens)).logits.log_softmax(-1);
    for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) {
      if (trace.in_loop[i] != 0) continue;
      const at::Tensor row = log_q[static_cast<std::int64_t>(trace.prompt_tokens.size() + i) - 1];
      double p_rest = 1, q_rest = 1;
      for (std::size_t j = 4 * i; j < 4 * i + 4; ++j) {
        const std::int64_t at = head.row(trace.top_ids[j]);
        if (at < 0) continue;
        const double p = std::exp(trace.top_log_probs[j]);
        const double q = std::exp(row[at].item<double>());
        soft += p * std::log(p / q);
        p_rest -= p;
        q_rest -= q;
      }
      soft += p_rest * std::log(p_rest / q_rest);
      const std::int64_t wanted =
          head.row(label == HardLabel::kGreedy ? trace.top_ids[4 * i] : trace.output_tokens[i]);
      if (wanted >= 0) hard -= row[wanted].item<double>();
    }
  }
  return (1 - hard_share) * soft + hard_share * hard;
}

DraftObjective tiny_objective(const test::SmallTarget& target, at::ScalarType dtype,
                              DraftOptions options = {}) {
  return DraftObjective(target.model, every_third_token(target.model.config.vocab), options, dtype);
}

TEST(DraftObjective, LossIsThatOfAPlainLoop) {
  const test::SmallTarget target(3);
  const DraftOptions every_option[] = {
      {.layers = {1, 3}},
      {.layers = {2}, .loss = {.hard_share = 1, .label = HardLabel::kGreedy}},
      {.layers = {3, 1, 2}, .loss = {.hard_share = 0.4, .label = HardLabel::kTaken}}};
  for (const DraftOptions& options : every_option) {
    DraftObjective objective = tiny_objective(target, at::kDouble, options);
    perturb(objective, 1);
    const auto traces = some_traces(target.model.config.vocab);
    const StepLoss found = objective.accumulate(traces, 1);
    EXPECT_EQ(found.tokens, 11 + 5 + 1 + 30);
    // The served weights are f32.
    EXPECT_NEAR(found.loss, plain_loss(objective, traces), 1e-4 * found.loss);
  }
}

/// Those that are no Llama begin as one with what both have.
TEST(DraftObjective, LossIsThatOfAPlainLoopForEveryFamily) {
  int families = 0;
  for (const auto& folder :
       std::filesystem::directory_iterator(test::source_path("tests/golden/hf"))) {
    SCOPED_TRACE(folder.path().filename());
    const model::Model target = model::load_model(folder.path());
    DraftObjective objective(target, every_third_token(target.config.vocab), {.layers = {1}},
                             at::kDouble);
    perturb(objective, 1);
    const std::vector<data::Trace> one = {test::made_trace(9, 6, target.config.vocab, 4, 1, 3)};
    const StepLoss found = objective.accumulate(one, 1);
    EXPECT_NEAR(found.loss, plain_loss(objective, one), 1e-4 * found.loss);
    ++families;
  }
  EXPECT_GT(families, 30);
}

TEST(DraftLayer, HasExpertsSideBySideEachWithItsShare) {
  const model::Model target = model::load_model(test::source_path("tests/golden/hf/mixtral"));
  const int used = target.config.used_experts;
  ASSERT_EQ(used, 2);
  ASSERT_GT(target.config.experts, used);
  const model::LayerWeights& weights = target.layers.front();
  const DraftLayer layer = load_layer(weights, used, at::kDouble);
  const at::Tensor x = test::random_numbers({3, target.config.width}, 1);
  const auto gates_ups = at::mm(x, layer.gate_up.t()).chunk(2, 1);
  const at::Tensor found = at::mm(at::silu(gates_ups[0]) * gates_ups[1], layer.down.t());
  at::Tensor mean = at::zeros_like(found);
  for (int i = 0; i < used; ++i) {
    const model::ExpertWeights& one = weights.experts[static_cast<std::size_t>(i)];
    const auto of = [&](const model::Weight& weight) {
      return load_matrix(weight, at::kDouble).t();
    };
    mean += at::mm(at::silu(at::mm(x, of(one.gate))) * at::mm(x, of(one.up)), of(one.down)) / used;
  }
  EXPECT_LT((found - mean).abs().max().item<double>(), 1e-9);
  EXPECT_GT(mean.abs().max().item<double>(), 1e-3);
  EXPECT_EQ(draft_config(target, std::array{1}).ffn_width, layer.down.size(1));
}

TEST(DraftObjective, GradientsAreThoseOfFiniteDifferences) {
  const test::SmallTarget target(3);
  DraftObjective objective = tiny_objective(target, at::kDouble);
  perturb(objective, 2);
  const auto traces = some_traces(target.model.config.vocab);
  constexpr double kScale = 0.25, kStep = 1e-5;
  objective.accumulate(traces, kScale);
  std::vector<at::Tensor> gradients;
  for (const Parameter& parameter : objective.parameters())
    gradients.push_back(parameter.value.grad().clone().flatten());
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    const Parameter parameter = objective.parameters()[p];
    const at::Tensor& gradient = gradients[p];
    EXPECT_GT(gradient.norm().item<double>(), 0) << parameter.name;
    at::Tensor flat = parameter.value.detach().view(-1);
    const std::int64_t stride = std::max<std::int64_t>(1, flat.numel() / 3);
    for (std::int64_t i = 1; i < flat.numel(); i += stride) {
      const auto loss_at = [&](double step) {
        flat[i] += step;
        const double loss = objective.accumulate(traces, kScale).loss;
        flat[i] -= step;
        return loss;
      };
      const double difference = kScale * (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[i].item<double>(), difference,
                  1e-6 * std::max(1.0, std::abs(difference)))
          << parameter.name << " " << i;
    }
  }
}

TEST(DraftObjective, GradientsAddUpOverBatches) {
  const test::SmallTarget target(3);
  const auto traces = some_traces(target.model.config.vocab);
  DraftObjective whole = tiny_objective(target, at::kDouble);
  DraftObjective parts = tiny_objective(target, at::kDouble);
  whole.accumulate(traces, 0.5);
  for (const data::Trace& trace : traces) parts.accumulate({&trace, 1}, 0.5);
  const auto expected = whole.parameters(), found = parts.parameters();
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT((expected[i].value.grad() - found[i].value.grad()).abs().max().item<double>(), 1e-10)
        << expected[i].name;
}

TEST(DraftObjective, IsTheSameBitsInEveryRun) {
  const test::SmallTarget target(3);
  const auto traces = some_traces(target.model.config.vocab);
  const int threads_before = at::get_num_threads();
  for (const Precision precision : {Precision::kF32, Precision::kBf16})
    for (const int threads : {1, 2}) {
      at::set_num_threads(threads);
      const auto run = [&] {
        DraftObjective objective = tiny_objective(target, at::kFloat, {.precision = precision});
        objective.accumulate(traces, 1);
        return objective.parameters();
      };
      const auto one = run(), other = run();
      for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_TRUE(at::equal(one[i].value.grad(), other[i].value.grad())) << one[i].name;
    }
  at::set_num_threads(threads_before);
}

TEST(DraftObjective, TrainsInBf16AsInF32) {
  const test::SmallTarget target(3);
  const auto traces = some_traces(target.model.config.vocab);
  DraftObjective exact = tiny_objective(target, at::kFloat);
  DraftObjective rounded = tiny_objective(target, at::kFloat, {.precision = Precision::kBf16});
  const double loss = exact.accumulate(traces, 1).loss;
  EXPECT_NEAR(rounded.accumulate(traces, 1).loss, loss, 0.02 * loss);
  const auto expected = exact.parameters(), found = rounded.parameters();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const at::Tensor a = expected[i].value.grad().flatten(), b = found[i].value.grad().flatten();
    EXPECT_GT((at::dot(a, b) / (a.norm() * b.norm())).item<double>(), 0.99) << expected[i].name;
  }
}

TEST(DraftObjective, LooksAtTheLastTokensOfALongPrompt) {
  const test::SmallTarget target(3);
  const int vocab = target.model.config.vocab;
  data::Trace trace = test::made_trace(60, 10, vocab, 4, 0, 5);
  DraftObjective limited = tiny_objective(target, at::kDouble, {.most_context = 20});
  DraftObjective all = tiny_objective(target, at::kDouble, {.most_context = 0});
  const double of_all = all.accumulate({&trace, 1}, 1).loss;
  const double of_last = limited.accumulate({&trace, 1}, 1).loss;
  trace.prompt_tokens.erase(trace.prompt_tokens.begin(), trace.prompt_tokens.begin() + 40);
  trace.loss_mask.erase(trace.loss_mask.begin(), trace.loss_mask.begin() + 40);
  EXPECT_NEAR(all.accumulate({&trace, 1}, 1).loss, of_last, 1e-10);
  EXPECT_GT(std::abs(of_all - of_last), 1e-6);
}

TEST(DraftObjective, IdentityNamesWhatARunDependsOn) {
  const test::SmallTarget target(3);
  const auto identity = [&](DraftOptions options) {
    return tiny_objective(target, at::kFloat, options).identity();
  };
  const auto first = identity({});
  EXPECT_EQ(first, identity({.layers = {1, 3}}));
  EXPECT_NE(first, identity({.layers = {3}}));
  EXPECT_NE(first, identity({.loss = {.hard_share = 0.5}}));
  EXPECT_NE(first, identity({.precision = Precision::kBf16}));
  EXPECT_NE(first, identity({.most_context = 7}));
  EXPECT_NE(first, DraftObjective(target.model, {1, 2}, {}).identity());
}

TEST(DraftObjective, ServesTheLogitsItIsTrainedBy) {
  const test::SmallTarget target(3);
  DraftObjective objective = tiny_objective(target, at::kFloat);
  perturb(objective, 3);
  const model::Model model = objective.to_model();
  ASSERT_EQ(model.head_tokens, objective.draft().head_tokens());
  const auto engine =
      engine::make_engine(model, {.numerics = engine::Numerics::kF32, .threads = 1});
  const at::NoGradGuard no_gradients;
  for (const data::Trace& trace : some_traces(model.config.vocab)) {
    const PackedBatch batch = pack({&trace, 1}, objective.draft().head_rows(), Predicted::kAll);
    const at::Tensor expected =
        at::linear(objective.draft().mapped(batch, Precision::kF32), objective.draft().head());
    std::vector<Token> tokens = trace.prompt_tokens;
    tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end() - 1);
    std::int64_t row = 0;
    engine::forward_text(*engine, tokens,
                         {.request = {.logits = true},
                          .logits_from = static_cast<int>(trace.prompt_tokens.size()) - 1},
                         [&](const engine::Pass& pass, int) {
                           for (int i = 0; i < static_cast<int>(pass.rows.size()); ++i) {
                             const auto logits = pass.logits_of(i);
                             if (logits.empty()) continue;
                             const at::Tensor found =
                                 at::from_blob(const_cast<float*>(logits.data()),
                                               {std::ssize(logits)}, at::kFloat);
                             EXPECT_LT((found - expected[row]).abs().max().item<double>(), 1e-3);
                             EXPECT_EQ(found.argmax().item<std::int64_t>(),
                                       expected[row].argmax().item<std::int64_t>());
                             ++row;
                           }
                         });
    EXPECT_EQ(row, std::ssize(trace.output_tokens));
  }
}

TEST(DraftModel, StartsFromAServedDraft) {
  const test::SmallTarget target(3);
  for (const int step : {1, 2}) {  // with more and with fewer head tokens than the width
    std::vector<Token> tokens;
    for (Token token = 0; token < target.model.config.vocab; token += step * step * step)
      tokens.push_back(token);
    DraftObjective earlier(target.model, tokens, {.layers = {3, 1}});
    perturb(earlier, 4);
    const model::Model served = earlier.to_model();
    DraftObjective later(target.model, tokens, {.layers = {3, 1}});
    later.draft().start_from(served);
    const auto expected = earlier.parameters(), found = later.parameters();
    for (std::size_t i = 0; i + 1 < found.size(); ++i)  // the last is the map
      EXPECT_TRUE(at::equal(found[i].value, expected[i].value)) << found[i].name;
    const at::NoGradGuard no_gradients;
    const at::Tensor& head = later.draft().head();
    const at::Tensor wanted = at::mm(head, earlier.draft().map());
    EXPECT_LT((at::mm(head, later.draft().map()) - wanted).abs().max().item<double>(), 1e-4);
    if (head.size(0) > head.size(1)) {
      EXPECT_LT((later.draft().map() - earlier.draft().map()).abs().max().item<double>(), 1e-3);
    }
    EXPECT_TRUE(later.draft().map().is_contiguous());
  }
}

TEST(DraftModel, StartsWithMoreHeadTokensThanAServedDraft) {
  const test::SmallTarget target(3);
  std::vector<Token> all(static_cast<std::size_t>(target.model.config.vocab));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Token> some = all;
  std::erase_if(some, [](Token token) { return token % 4 == 1; });
  DraftObjective earlier(target.model, some, {.layers = {3, 1}});
  ASSERT_GT(earlier.draft().head().size(0), earlier.draft().head().size(1));
  perturb(earlier, 4);
  DraftObjective later(target.model, all, {.layers = {3, 1}});
  later.draft().start_from(earlier.to_model());
  EXPECT_LT((later.draft().map() - earlier.draft().map()).abs().max().item<double>(), 1e-3);
}

TEST(DraftModel, StartsFromADraftOfItsShape) {
  const test::SmallTarget target(3);
  const model::Model served = DraftObjective(target.model, {1, 2}, {.layers = {1, 3}}).to_model();
  const auto start = [&](std::vector<int> layers, std::vector<Token> tokens) {
    DraftObjective(target.model, tokens, {.layers = layers}).draft().start_from(served);
  };
  test::expect_input_error([&] { start({1, 3}, {1, 3}); }, "its head has token 2");
  test::expect_input_error([&] { start({1}, {1, 2}); }, "expected a draft of 1 layers");
  model::Model narrow = served;
  narrow.layers[0].down = narrow.layers[0].o;
  DraftObjective later(target.model, {1, 2}, {.layers = {1, 3}});
  test::expect_input_error([&] { later.draft().start_from(narrow); }, "down has the shape");
}

TEST(DraftModel, RefusesLayersAndTokensThatTheTargetLacks) {
  const test::SmallTarget target(3);
  const auto make = [&](std::vector<int> layers, std::vector<Token> tokens) {
    return DraftModel(target.model, layers, std::move(tokens), at::kFloat);
  };
  test::expect_input_error([&] { make({4}, {1}); }, "no layer 4", "1 to 3");
  test::expect_input_error([&] { make({}, {1}); }, "at least one layer");
  test::expect_input_error([&] { make({1}, {5, 5}); }, "token 1", "ascending");
  test::expect_input_error([&] { make({1}, {1 << 20}); }, "token 0", "from 0 to");
}

TEST(FitDraft, OfAllLayersHasTheTargetsDistribution) {
  const test::SmallTarget target(3);
  const ReferenceModel reference(target.model, at::kFloat);
  std::vector<data::Trace> traces;
  for (std::uint64_t i = 0; i < 12; ++i) {
    data::Trace& trace =
        traces.emplace_back(test::made_trace(10, 60, target.model.config.vocab, 4, 0, i));
    std::vector<Token> tokens = trace.prompt_tokens;
    tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end() - 1);
    const auto [best, ids] =
        reference.forward(text_rows(tokens)).logits.narrow(0, 9, 60).log_softmax(-1).topk(4);
    const at::Tensor flat_best = best.flatten(), flat_ids = ids.flatten();
    for (std::int64_t n = 0; n < 240; ++n) {
      const auto at = static_cast<std::size_t>(n);
      trace.top_ids[at] = static_cast<Token>(flat_ids[n].item<std::int64_t>());
      trace.top_log_probs[at] = flat_best[n].item<float>();
    }
  }
  const auto engine =
      engine::make_engine(target.model, {.numerics = engine::Numerics::kF32, .threads = 1});
  std::vector<Token> all(static_cast<std::size_t>(target.model.config.vocab));
  std::iota(all.begin(), all.end(), 0);
  DraftObjective objective(target.model, all, {.layers = {1, 2, 3}});
  {
    const at::NoGradGuard no_gradients;
    objective.draft().map().zero_();
  }
  const double before = objective.accumulate(traces, 1).loss;
  const DraftFit fit = fit_draft(objective, *engine, traces);
  EXPECT_EQ(fit.tokens, 12 * 45);
  EXPECT_LT(fit.loss * 12 * 45, before / 4);
  EXPECT_LT(objective.accumulate(traces, 1).loss, before / 10);
}

}  // namespace
}  // namespace outrider::train
