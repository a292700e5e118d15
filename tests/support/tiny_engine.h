#pragma once

#include <memory>
#include <random>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/sampling/sampler_options.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A tiny random model and its engine.
struct TinyEngine {
  std::vector<std::byte> bytes;
  model::Model model;
  std::unique_ptr<engine::Engine> made;
  engine::Engine& engine;

  TinyEngine(model::WeightType type, std::uint64_t seed, int threads)
      : bytes(tiny_llama_gguf({.heads = 4, .kv_heads = 2, .head_width = 32}, seed, type)),
        model(model::parse_model(bytes, "tiny")),
        made(engine::make_engine(model, {.threads = threads})),
        engine(*made) {}
};

/// Sampler options with every option active.
inline sampling::SamplerOptions every_sampler_option() {
  return {.temperature = 0.8,
          .top_k = 50,
          .top_p = 0.95,
          .min_p = 0.01,
          .repetition_penalty = 1.1,
          .presence_penalty = 0.2,
          .frequency_penalty = 0.1,
          .logit_bias = {{5, 1.5}},
          .seed = 3};
}

/// Every kind of sampling. The last of them has every option.
inline const std::vector<sampling::SamplerOptions>& kinds_of_sampling() {
  static const std::vector<sampling::SamplerOptions> all = {{},
                                                            {.temperature = 0.7, .top_p = 0.7},
                                                            {.temperature = 1},
                                                            {.temperature = 1, .top_k = 5},
                                                            {.frequency_penalty = 0.7},
                                                            {.temperature = 1,
                                                             .repetition_penalty = 1.3,
                                                             .presence_penalty = 0.5,
                                                             .frequency_penalty = 0.4},
                                                            every_sampler_option()};
  return all;
}

inline std::vector<Token> random_tokens(int length, int vocab, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Token> tokens;
  for (int i = 0; i < length; ++i)
    tokens.push_back(static_cast<Token>(random() % static_cast<std::uint64_t>(vocab)));
  return tokens;
}

}  // namespace outrider::test
