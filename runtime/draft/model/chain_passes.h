#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::draft {

/// The passes of a draft model over one sequence: over the text, which its own KV cache commits, and over
/// a chain drafted after it, whose rows the cache holds until verification says which the text keeps.
/// Nothing is forwarded twice, and passes like those before allocate nothing.
class ChainPasses {
 public:
  explicit ChainPasses(std::shared_ptr<engine::Engine> engine);

  /// The most tokens, text and chain, that the model takes.
  int context() const { return engine_->config().context; }
  /// Makes room for so many, at most `context`.
  void reserve(int tokens);

  /// How many tokens of the text the cache has.
  int length() const { return static_cast<int>(text_.size()); }
  /// Drops what is not a prefix of the text.
  void keep_prefix(std::span<const Token> text);

  /// Forwards what of the text the cache lacks, and drops any chain.
  /// @param text  longer than what the cache has, and beginning with it
  /// @return [num_logits] logits of the last token's row, until the next pass
  /// @throws std::logic_error for a text that is not longer
  std::span<const float> read(std::span<const Token> text);
  /// Forwards one token more of the chain. @return likewise
  std::span<const float> extend(Token token);
  /// Commits the chain's first tokens, as many as were forwarded, and drops the others.
  void keep(int tokens);

 private:
  Token readable(Token token) const;

  std::shared_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::KvCache> cache_;
  engine::Pass pass_;
  std::vector<Token> text_;    // committed
  std::vector<Token> chain_;   // forwarded and held
  std::vector<Token> unread_;  // of the text, as they are forwarded
};

}  // namespace outrider::draft
