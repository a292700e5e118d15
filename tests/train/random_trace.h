#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "data/trace.h"

namespace outrider::test {

/// A trace of random tokens with random stored probabilities, in a vocabulary of `vocab` tokens; every
/// fourth output token is in a loop. The output tokens are the most likely ones at temperature 0.
inline data::Trace made_trace(int prompt, int output, int vocab, int k, double temperature,
                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  data::Trace trace;
  trace.id = "made-" + std::to_string(seed);
  trace.task = seed % 2 == 0 ? "even" : "odd";
  trace.temperature = temperature;
  for (int i = 0; i < prompt; ++i) trace.prompt_tokens.push_back(below(vocab));
  for (int i = 0; i < output; ++i) {
    std::vector<Token> ids(static_cast<std::size_t>(vocab));
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), random);
    std::vector<double> shares;
    for (int j = 0; j <= k; ++j) shares.push_back(1 + below(1000));
    std::sort(shares.begin(), shares.end() - 1, std::greater<>());
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (int j = 0; j < k; ++j) {
      trace.top_ids.push_back(ids[static_cast<std::size_t>(j)]);
      trace.top_log_probs.push_back(
          static_cast<float>(std::log(shares[static_cast<std::size_t>(j)] / total)));
    }
    trace.tail_masses.push_back(static_cast<float>(shares.back() / total));
    trace.entropies.push_back(1);
    trace.output_tokens.push_back(
        ids[static_cast<std::size_t>(temperature == 0 ? 0 : below(k + 1))]);
    trace.in_loop.push_back(i % 4 == 3);
  }
  trace.loss_mask.assign(static_cast<std::size_t>(prompt + output), 1);
  std::fill_n(trace.loss_mask.begin(), prompt, std::uint8_t{0});
  return trace;
}

}  // namespace outrider::test
