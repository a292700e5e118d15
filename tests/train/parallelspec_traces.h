#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <random>
#include <vector>

#include "runtime/engine/tap_request.h"
#include "tests/train/gradient_check.h"
#include "tests/train/random_trace.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::test {

/// A trace of random tokens with random states of some layers.
inline data::Trace trace_with_states(int prompt, int output, int vocab, double temperature,
                                     std::uint64_t seed,
                                     const std::vector<int>& layers = {engine::kFinalNorm}) {
  data::Trace trace = made_trace(prompt, output, vocab, 4, temperature, seed);
  std::mt19937_64 random(seed + 100);
  std::normal_distribution<float> normal;
  for (const int layer : layers) {
    data::LayerStates& states = trace.states.emplace_back();
    states.layer = layer;
    for (std::size_t i = 0; i < trace.positions() * 64; ++i)
      states.values.push_back(float_to_bfloat16(normal(random)));
  }
  return trace;
}

/// Three such traces of several lengths, at temperatures 0 and 1.
inline std::vector<data::Trace> random_texts(int vocab, std::uint64_t seed,
                                             const std::vector<int>& layers = {
                                                 engine::kFinalNorm}) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<data::Trace> traces;
  for (int i = 0; i < 3; ++i)
    traces.push_back(trace_with_states(1 + below(90), 1 + below(40), vocab, i % 2,
                                       10 * seed + random() % 10, layers));
  return traces;
}

/// Two of three tokens, as the head of a drafter.
inline std::vector<Token> two_of_three(int vocab) {
  std::vector<Token> tokens;
  for (Token token = 0; token < vocab; ++token)
    if (token % 3 != 1) tokens.push_back(token);
  return tokens;
}

/// Random weights everywhere, so that nothing is 0 or the identity.
inline void perturb_all(train::ParallelSpecObjective& objective, std::uint64_t seed) {
  const at::NoGradGuard no_gradients;
  for (const train::Parameter& parameter : objective.parameters())
    parameter.value.add_(0.2 * random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
}

}  // namespace outrider::test
