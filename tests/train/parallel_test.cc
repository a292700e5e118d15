#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Allocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "runtime/engine/engine.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"
#include "tests/train/gradient_check.h"
#include "tests/train/made_traces.h"
#include "train/modules/group_attention.h"
#include "train/parallel/choose_groups.h"
#include "train/parallel/fit_parallel.h"
#include "train/parallel/parallel_objective.h"
#include "train/parallel/validate_parallel.h"

namespace outrider::train {
namespace {

const test::TinyShape kTargetShape = {
    .layers = 2, .width = 64, .heads = 4, .kv_heads = 2, .head_width = 32, .ffn_width = 96};

struct SmallTarget {
  test::TemporaryFolder folder;
  model::Model model;

  SmallTarget()
      : model(model::load_model(test::write_tiny_llama(folder.path(), "tiny.gguf", kTargetShape, 3,
                                                       model::WeightType::kF32))) {}
};

/// A trace of random tokens with random states.
data::Trace trace_with_states(int prompt, int output, int vocab, double temperature,
                              std::uint64_t seed) {
  data::Trace trace = test::made_trace(prompt, output, vocab, 4, temperature, seed);
  std::mt19937_64 random(seed + 100);
  std::normal_distribution<float> normal;
  data::LayerStates& states = trace.states.emplace_back();
  states.layer = engine::kFinalNorm;
  for (std::size_t i = 0; i < trace.positions() * 64; ++i)
    states.values.push_back(float_to_bfloat16(normal(random)));
  return trace;
}

std::vector<data::Trace> random_texts(int vocab, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<data::Trace> traces;
  for (int i = 0; i < 3; ++i)
    traces.push_back(
        trace_with_states(1 + below(90), 1 + below(40), vocab, i % 2, 10 * seed + random() % 10));
  return traces;
}

std::vector<Token> two_of_three(int vocab) {
  std::vector<Token> tokens;
  for (Token token = 0; token < vocab; ++token)
    if (token % 3 != 1) tokens.push_back(token);
  return tokens;
}

/// Random weights everywhere, so that nothing is 0 or the identity.
void shake_all(ParallelObjective& objective, std::uint64_t seed) {
  const at::NoGradGuard no_gradients;
  for (const Parameter& parameter : objective.parameters())
    parameter.value.add_(0.2 *
                         test::random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
}

/// The drafter written down plainly: a group at a time, all rows before it and its masks as one text under
/// ordinary causal attention.
class PlainDrafter {
 public:
  PlainDrafter(ParallelObjective& objective, const model::Model& target)
      : objective_(objective), options_(objective.options()), target_(target) {
    for (const Parameter& parameter : objective.parameters())
      weights_[parameter.name] = parameter.value;
  }

  /// The loss of a group whose first drafted token is `output`; adds the slots' number to `slots`.
  at::Tensor group_loss(const data::Trace& trace, int output, std::int64_t& slots) const {
    const bool eagle = options_.shape.flavour == Flavour::kEagle;
    const bool by_states = !eagle && !options_.shape.token_inputs;
    std::vector<Token> text = trace.prompt_tokens;
    text.insert(text.end(), trace.output_tokens.begin(), trace.output_tokens.end());
    const int root = static_cast<int>(trace.prompt_tokens.size()) + output - 1;
    const at::Tensor embedding = objective_.drafter().embedding();
    std::vector<at::Tensor> rows;
    for (int j = eagle ? 1 : 0; j <= (by_states ? root - 1 : root); ++j) {
      const at::Tensor token = embedding[text[static_cast<std::size_t>(j)]];
      rows.push_back(eagle       ? at::cat({state(trace, j - 1), token})
                     : by_states ? state(trace, j)
                                 : token);
    }
    for (int i = 0; i < options_.shape.masks; ++i) {
      const at::Tensor mask = weight("mask_embeddings")[i];
      rows.push_back(eagle ? at::cat({weight("mask_features")[i], mask}) : mask);
    }
    const at::Tensor out = layer(at::stack(rows));
    at::Tensor loss = at::zeros({}, at::kDouble);
    const int drafted = options_.shape.masks + (by_states ? 0 : 1);
    for (int slot = 0; slot < drafted; ++slot) {
      const auto label = static_cast<std::size_t>(root + 1 + slot);
      if (label >= text.size() || trace.loss_mask[label] == 0 ||
          trace.in_loop[label - trace.prompt_tokens.size()] != 0)
        continue;
      ++slots;
      const at::Tensor row = out[out.size(0) - drafted + slot];
      const double weight = std::pow(options_.slot_decay, slot);
      if (eagle) {
        const at::Tensor off = (row - state(trace, static_cast<int>(label) - 1)).abs();
        const at::Tensor smooth = at::where(off < 1, off * off / 2, off - 0.5);
        loss = loss + weight * options_.feature_weight * smooth.mean();
      }
      const std::int64_t at = objective_.drafter().head_rows().row(text[label]);
      if (at >= 0)
        loss = loss - weight * options_.token_weight *
                          at::linear(row, objective_.drafter().head()).log_softmax(-1)[at];
    }
    return loss;
  }

 private:
  at::Tensor weight(const std::string& name) const { return weights_.at(name); }

  static at::Tensor state(const data::Trace& trace, int position) {
    at::Tensor row = at::empty({64}, at::kDouble);
    for (int i = 0; i < 64; ++i)
      row[i] = bfloat16_to_float(
          trace.states.front().values[static_cast<std::size_t>(64 * position + i)]);
    return row;
  }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const double epsilon = static_cast<double>(target_.config.norm_epsilon);
    return weight(name) * x / ((x * x).mean(-1, true) + epsilon).sqrt();
  }

  at::Tensor layer(const at::Tensor& inputs) const {
    const at::Tensor x =
        options_.shape.flavour == Flavour::kEagle ? at::linear(inputs, weight("fc")) : inputs;
    const at::Tensor n = norm(x, "layer.attn_norm");
    const std::int64_t rows = x.size(0);
    const RopeTable rope = rope_table(at::arange(rows), target_.config, at::kDouble);
    const auto heads = [&](const at::Tensor& of, int count) {
      return of.view({rows, count, 32}).transpose(0, 1);
    };
    const auto kv = at::linear(n, weight("layer.kv")).chunk(2, -1);
    const at::Tensor q = rotate(heads(at::linear(n, weight("layer.q")), 4), rope);
    const at::Tensor k = rotate(heads(kv[0], 2), rope).repeat_interleave(2, 0);
    const at::Tensor v = heads(kv[1], 2).repeat_interleave(2, 0);
    const at::Tensor causal = at::ones({rows, rows}, at::kBool).tril();
    const at::Tensor scores = (at::matmul(q, k.transpose(1, 2)) / std::sqrt(32.0))
                                  .masked_fill(causal.logical_not(), -INFINITY);
    const at::Tensor mixed = at::matmul(scores.softmax(-1), v).transpose(0, 1).reshape({rows, 128});
    const at::Tensor h = x + at::linear(mixed, weight("layer.o"));
    const auto gates = at::linear(norm(h, "layer.ffn_norm"), weight("layer.gate_up")).chunk(2, -1);
    const at::Tensor out = h + at::linear(at::silu(gates[0]) * gates[1], weight("layer.down"));
    return options_.final_norm ? norm(out, "final_norm") : out;
  }

  ParallelObjective& objective_;
  ParallelOptions options_;
  const model::Model& target_;
  std::map<std::string, at::Tensor> weights_;
};

std::vector<at::Tensor> taken_gradients(ParallelObjective& objective) {
  std::vector<at::Tensor> gradients;
  for (const Parameter& parameter : objective.parameters()) {
    gradients.push_back(parameter.value.grad().defined() ? parameter.value.grad().clone()
                                                         : at::zeros_like(parameter.value));
    parameter.value.mutable_grad() = at::Tensor();
  }
  return gradients;
}

void expect_plain(const SmallTarget& target, const ParallelOptions& options, std::uint64_t seed) {
  const int vocab = target.model.config.vocab;
  ParallelObjective objective(target.model, two_of_three(vocab), options, at::kDouble);
  shake_all(objective, seed);
  objective.begin_step(static_cast<std::int64_t>(seed));
  const std::vector<data::Trace> traces = random_texts(vocab, seed);
  const StepLoss found = objective.accumulate(traces, 0.5);
  const std::vector<at::Tensor> gradients = taken_gradients(objective);

  const PlainDrafter plain(objective, target.model);
  at::Tensor expected = at::zeros({}, at::kDouble);
  std::int64_t slots = 0;
  for (const data::Trace& trace : traces)
    for (const std::int32_t start :
         some_starts(possible_starts(trace, options.shape), options.groups, random_of(trace, seed)))
      expected = expected + plain.group_loss(trace, start, slots);
  EXPECT_EQ(found.tokens, slots);
  ASSERT_GT(slots, 0);
  EXPECT_NEAR(found.loss, expected.item<double>(), 1e-9 * expected.item<double>());
  (expected * 0.5).backward();
  const std::vector<at::Tensor> wanted = taken_gradients(objective);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double norm = wanted[i].norm().item<double>();
    EXPECT_GT(norm, 0) << objective.parameters()[i].name;
    EXPECT_LT((gradients[i] - wanted[i]).norm().item<double>(), 1e-9 * norm)
        << objective.parameters()[i].name;
  }
}

TEST(ParallelObjective, AStepOfGroupsIsThatOfAPlainLoop) {
  const SmallTarget target;
  std::uint64_t seed = 1;
  for (const Flavour flavour : {Flavour::kEagle, Flavour::kMedusa}) {
    for (const bool by_tokens : {true, false}) {
      for (const int masks : {1, 3, 6}) {
        if (flavour == Flavour::kEagle && !by_tokens) continue;
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", masks " << masks);
        expect_plain(target,
                     {.shape = {flavour, by_tokens, masks},
                      .final_norm = seed % 2 == 0,
                      .groups = seed % 3 == 0 ? 0 : 7,
                      .token_weight = 0.3,
                      .slot_decay = 0.7},
                     seed);
        ++seed;
      }
    }
  }
}

TEST(ParallelObjective, SoftLabelsAreDistillations) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  const ParallelOptions options{.groups = 5, .feature_weight = 0, .tokens = {}};
  ParallelObjective objective(target.model, two_of_three(vocab), options, at::kDouble);
  shake_all(objective, 4);
  const std::vector<data::Trace> traces = random_texts(vocab, 4);
  const GroupBatch batch = objective.batch(traces);
  const at::Tensor outputs = objective.drafter().outputs(batch, Precision::kF32);
  double expected = 0;
  for (std::int64_t slot = 0; slot < 5; ++slot)
    expected +=
        0.1 * distillation(outputs.select(1, slot).contiguous(), objective.drafter().head(),
                           batch.targets[static_cast<std::size_t>(slot)], {}, Precision::kF32)
                  .item<double>();
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(objective.accumulate(traces, 1).loss, expected, 1e-9 * expected);
}

/// The most bytes of tensors at a time.
struct PeakMemory : c10::MemoryReportingInfoBase {
  std::int64_t now = 0, peak = 0;

  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    now += bytes;
    peak = std::max(peak, now);
  }
  bool memoryProfilingEnabled() const override { return true; }
};

TEST(ParallelObjective, MemoryGrowsWithTheLengthAndNotWithItsSquare) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelObjective objective(target.model, two_of_three(vocab),
                              {.shape = {.masks = 2}, .groups = 0, .most_context = 0});
  std::int64_t before = 0;
  for (const int length : {512, 1024, 2048, 4096}) {
    const std::vector<data::Trace> traces = {
        trace_with_states(length / 2, length / 2, vocab, 0, 1)};
    const auto memory = std::make_shared<PeakMemory>();
    {
      const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
      objective.accumulate(traces, 1);
    }
    EXPECT_GT(memory->peak, 4 * length * 64);
    if (before > 0) {
      EXPECT_LT(static_cast<double>(memory->peak), 2.2 * static_cast<double>(before)) << length;
    }
    before = memory->peak;
  }
}

/// The served drafter in the runtime's engine: its logits of all slots after `root`, the place of the last
/// committed token.
std::vector<std::vector<float>> served_logits(const draft::ParallelModel& model,
                                              engine::Engine& engine, const at::Tensor& embedding,
                                              const data::Trace& trace, int root) {
  const auto width = static_cast<std::size_t>(model.layer.config.width);
  const bool eagle = model.flavour == draft::ParallelModel::Flavour::kEagle;
  std::vector<Token> text = trace.prompt_tokens;
  text.insert(text.end(), trace.output_tokens.begin(), trace.output_tokens.end());
  std::vector<std::vector<float>> rows;
  const auto add_state = [&](int position, std::vector<float>& row) {
    for (std::size_t i = 0; i < width; ++i)
      row.push_back(bfloat16_to_float(
          trace.states.front().values[width * static_cast<std::size_t>(position) + i]));
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
  for (int i = static_cast<int>(rows.size()) - model.most_drafts();
       i < static_cast<int>(rows.size()); ++i) {
    const auto row = pass.row_logits(i);
    logits.emplace_back(row.begin(), row.end());
  }
  return logits;
}

TEST(ParallelDrafter, IsServedAsItIsTrainedAndValidated) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  int seed = 1;
  for (const ParallelShape& shape : {ParallelShape{Flavour::kEagle, true, 3},
                                     {Flavour::kMedusa, true, 2},
                                     {Flavour::kMedusa, false, 2}}) {
    SCOPED_TRACE(seed);
    ParallelObjective objective(target.model, two_of_three(vocab),
                                {.shape = shape, .final_norm = seed != 2, .groups = 0});
    shake_all(objective, static_cast<std::uint64_t>(seed));
    data::Trace trace = trace_with_states(6, 30, vocab, 0, static_cast<std::uint64_t>(50 + seed));
    trace.in_loop.assign(trace.in_loop.size(), 0);
    const draft::ParallelModel served = objective.to_model();
    EXPECT_EQ(served.masks(), shape.masks);
    EXPECT_EQ(served.most_drafts(), shape.slots());
    const auto engine =
        engine::make_engine(served.layer, {.numerics = engine::Numerics::kF32, .threads = 1});
    const auto drafts_after = [&](int output) {
      std::vector<Token> drafts;
      for (const std::vector<float>& row :
           served_logits(served, *engine, objective.drafter().embedding(), trace, 6 + output - 1))
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
      const auto found =
          served_logits(served, *engine, objective.drafter().embedding(), trace, 6 + output - 1);
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

TEST(FitParallel, SolvesWhatIsLinear) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelObjective objective(target.model, two_of_three(vocab), {.final_norm = false},
                              at::kDouble);
  // States of which each is half the one before it, and a multiple of its token's embedding.
  std::vector<data::Trace> traces;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    data::Trace trace = trace_with_states(4, 40, vocab, 0, seed);
    std::vector<Bfloat16>& states = trace.states.front().values;
    for (std::size_t j = 1; j < trace.positions(); ++j) {
      const Token token = j < 4 ? trace.prompt_tokens[j] : trace.output_tokens[j - 4];
      for (std::size_t i = 0; i < 64; ++i) {
        const double e =
            objective.drafter().embedding()[token][static_cast<std::int64_t>(i)].item<double>();
        states[64 * j + i] = float_to_bfloat16(static_cast<float>(
            0.5 * static_cast<double>(bfloat16_to_float(states[64 * (j - 1) + i])) + 10 * e));
      }
    }
    traces.push_back(std::move(trace));
  }
  const ParallelFit fit = fit_parallel(objective, traces);
  EXPECT_GT(fit.explained, 0.99);
  const GroupBatch batch = objective.batch(traces);
  const ParallelDrafter::Stream stream = objective.drafter().stream_parts(batch, Precision::kF32);
  const auto size = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
  EXPECT_NEAR(size(stream.feed_forward) / size(stream.begun), 0.15, 0.03);
  EXPECT_NEAR(size(stream.attention) / size(stream.begun), 0.15, 0.03);
  test::expect_input_error([&] { fit_parallel(objective, {}); }, "no token with a loss");
}

}  // namespace
}  // namespace outrider::train
