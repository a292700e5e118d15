#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_input_error.h"
#include "tests/train/gradient_check.h"
#include "train/modules/gated_silu.h"
#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/modules/rotary.h"
#include "train/modules/text_attention.h"

namespace outrider::train {
namespace {

using test::expect_gradients;
using test::random_numbers;
using Tensors = std::vector<at::Tensor>;

/// A number that depends on every entry of x in its own way.
at::Tensor weighted_sum(const at::Tensor& x) {
  return (x * at::arange(1, x.numel() + 1, at::kDouble).view(x.sizes()).sin()).sum();
}

TEST(Linear, HasTheGradientOfItsProduct) {
  const auto f = [](const Tensors& in) {
    return weighted_sum(linear(in[0], in[1], Precision::kF32));
  };
  expect_gradients(f, {random_numbers({5, 7}, 1), random_numbers({3, 7}, 2)});
}

TEST(Linear, GivesTheProductInEveryPrecision) {
  const at::Tensor x = random_numbers({130, 96}, 3);
  const at::Tensor w = random_numbers({70, 96}, 4);
  const at::Tensor expected = at::mm(x, w.t());
  const auto error = [&](at::ScalarType type, Precision precision) {
    const at::Tensor found = linear(x.to(type), w.to(type), precision).to(at::kDouble);
    return ((found - expected).norm() / expected.norm()).item<double>();
  };
  EXPECT_LT(error(at::kDouble, Precision::kF32), 1e-14);
  EXPECT_LT(error(at::kFloat, Precision::kF32), 1e-6);
  EXPECT_LT(error(at::kFloat, Precision::kBf16), 1e-2);
}

TEST(Linear, GivesGradientsInTheTypesOfItsInputsUnderBf16) {
  at::Tensor x = random_numbers({64, 96}, 5).to(at::kFloat).set_requires_grad(true);
  at::Tensor w = random_numbers({32, 96}, 6).to(at::kFloat).set_requires_grad(true);
  const at::Tensor wanted = random_numbers({64, 32}, 7).to(at::kFloat);
  (linear(x, w, Precision::kBf16) * wanted).sum().backward();
  ASSERT_EQ(x.grad().scalar_type(), at::kFloat);
  ASSERT_EQ(w.grad().scalar_type(), at::kFloat);
  const at::Tensor x_expected = at::mm(wanted, w), w_expected = at::mm(wanted.t(), x);
  EXPECT_LT(((x.grad() - x_expected).norm() / x_expected.norm()).item<double>(), 1e-2);
  EXPECT_LT(((w.grad() - w_expected).norm() / w_expected.norm()).item<double>(), 1e-2);
}

TEST(Precision, IsChosenByName) {
  EXPECT_EQ(precision_of("f32"), Precision::kF32);
  EXPECT_EQ(precision_of("bf16"), Precision::kBf16);
  EXPECT_EQ(precision_of("auto"), has_bf16_products() ? Precision::kBf16 : Precision::kF32);
  test::expect_input_error([] { precision_of("f16"); }, "precision 'f16'", "auto, bf16, f32");
}

TEST(RmsNorm, IsTheReferencesWithItsGradient) {
  const at::Tensor x = random_numbers({4, 10}, 8), weight = random_numbers({10}, 9);
  const at::Tensor expected = weight * x * at::rsqrt((x * x).mean(-1, true) + 0.01);
  EXPECT_LT((rms_norm(x, weight, 0.01) - expected).abs().max().item<double>(), 1e-14);
  expect_gradients([](const Tensors& in) { return weighted_sum(rms_norm(in[0], in[1], 0.01)); },
                   {x, weight});
}

TEST(GatedSilu, IsSiluTimesUpWithItsGradient) {
  const at::Tensor x = random_numbers({3, 12}, 10);
  const at::Tensor expected = at::silu(x.narrow(1, 0, 6)) * x.narrow(1, 6, 6);
  EXPECT_LT((gated_silu(x) - expected).abs().max().item<double>(), 1e-14);
  expect_gradients([](const Tensors& in) { return weighted_sum(gated_silu(in[0])); }, {x});
}

RopeTable rope_of(std::initializer_list<std::int64_t> positions, int head_width, int rotary_width) {
  model::ModelConfig config;
  config.head_width = head_width;
  config.rotary_width = rotary_width;
  config.rope_base = 100;
  return rope_table(at::tensor(std::vector<std::int64_t>(positions), at::kLong), config,
                    at::kDouble);
}

TEST(Rotary, RotatesEachHeadAsTheReferenceDoes) {
  const RopeTable rope = rope_of({0, 1, 7}, 8, 6);
  const at::Tensor x = random_numbers({3, 16}, 11);
  const at::Tensor expected = rotate(x.view({3, 2, 8}).transpose(0, 1), rope).transpose(0, 1);
  EXPECT_LT((rotary(x, 2, rope) - expected).abs().max().item<double>(), 1e-14);
  expect_gradients([&](const Tensors& in) { return weighted_sum(rotary(in[0], 2, rope)); }, {x});
}

/// The definition: each query by itself, over the keys up to its position.
at::Tensor plain_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const AttentionLayout& layout) {
  const std::int64_t group = q.size(1) / k.size(1);
  at::Tensor out = at::zeros_like(q);
  for (const AttentionSpan& span : layout.spans)
    for (std::int64_t i = span.first_query; i < span.first_query + span.queries; ++i)
      for (std::int64_t h = 0; h < q.size(1); ++h) {
        const std::int64_t seen = layout.query_positions[static_cast<std::size_t>(i)] + 1;
        const auto of = [&](const at::Tensor& x) {
          return x.narrow(0, span.first_key, seen).select(1, h / group);
        };
        const at::Tensor scores =
            at::mv(of(k), q[i][h]) / std::sqrt(static_cast<double>(q.size(2)));
        out[i][h] = at::mv(of(v).t(), at::softmax(scores, 0));
      }
  return out.flatten(1);
}

struct AttentionCase {
  std::int64_t heads, kv_heads;
  AttentionLayout layout;
};

std::vector<AttentionCase> attention_cases() {
  AttentionLayout every;  // texts of 3, 1 and 150 rows, every row a query
  AttentionLayout some;   // the same texts, with queries here and there
  std::int64_t first = 0;
  for (const std::int64_t length : {3, 1, 150}) {
    every.spans.push_back({first, length, first, length});
    for (std::int64_t i = 0; i < length; ++i) every.query_positions.push_back(i);
    const std::int64_t begin = std::ssize(some.query_positions);
    for (std::int64_t i = length - 1 - length / 4; i < length; i += 1 + (i % 3 == 0))
      some.query_positions.push_back(i);
    some.spans.push_back({first, length, begin, std::ssize(some.query_positions) - begin});
    first += length;
  }
  return {{4, 2, every}, {4, 2, some}, {3, 1, some}, {2, 2, every}};
}

TEST(Attention, IsTheDefinitionOnEveryLayout) {
  for (const AttentionCase& c : attention_cases()) {
    const auto queries = std::ssize(c.layout.query_positions);
    const at::Tensor q = random_numbers({queries, c.heads, 8}, 12);
    const at::Tensor k = random_numbers({154, c.kv_heads, 8}, 13);
    const at::Tensor v = random_numbers({154, c.kv_heads, 8}, 14);
    const at::Tensor difference = attention(q, k, v, c.layout) - plain_attention(q, k, v, c.layout);
    EXPECT_LT(difference.abs().max().item<double>(), 1e-12);
  }
}

TEST(Attention, HasTheGradientOfTheDefinition) {
  for (const AttentionCase& c : attention_cases()) {
    const auto queries = std::ssize(c.layout.query_positions);
    const Tensors inputs = {random_numbers({queries, c.heads, 8}, 15),
                            random_numbers({154, c.kv_heads, 8}, 16),
                            random_numbers({154, c.kv_heads, 8}, 17)};
    expect_gradients(
        [&](const Tensors& in) { return weighted_sum(attention(in[0], in[1], in[2], c.layout)); },
        inputs, 1e-7, 25);
  }
}

}  // namespace
}  // namespace outrider::train
