#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/token.h"
#include "runtime/engine/engine.h"

namespace outrider::study {

/// How the predictions of a target differ from those of a reference, over the scored tokens. Sums
/// are in nats; the surprisal is -log p of the actual next token.
struct Quality {
  std::int64_t tokens = 0;
  double reference_surprisal = 0;
  double surprisal = 0;
  double squared_difference = 0;  // of the two surprisals, token by token
  double divergence = 0;          // KL(reference || target) of the whole distributions
  double worst_divergence = 0;    // at one position
  std::int64_t same_best = 0;     // positions at which both have the same likeliest token

  /// Adds one position: the logits of each, [vocab], and the actual next token.
  void add(std::span<const float> reference, std::span<const float> target, Token next);

  double reference_perplexity() const;
  double perplexity() const;
  /// perplexity / reference_perplexity - 1
  double perplexity_change() const;
  /// Its standard error, assuming independent tokens.
  double perplexity_change_error() const;
};

/// Compares the predictions of two engines of one model on the same texts.
class QualityMeter {
 public:
  /// Both must outlive it. @param longest  tokens of the longest text
  QualityMeter(engine::Engine& reference, engine::Engine& target, int longest);

  /// @param tokens  at most `longest`
  /// @param first   the tokens from here on are scored; at least 1
  void read(std::span<const Token> tokens, std::size_t first);

  const Quality& quality() const { return quality_; }
  /// Goes on from what was found of earlier texts.
  void go_on_from(const Quality& before) { quality_ = before; }

 private:
  struct Reader {
    engine::Engine& engine;
    std::unique_ptr<engine::KvCache> cache;
    engine::Pass pass = {};
  };

  Reader reference_;
  Reader target_;
  Quality quality_;
};

}  // namespace outrider::study
