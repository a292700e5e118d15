#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/draft/model/tree_passes.h"

namespace outrider::draft {

/// TreePasses over a chain.
class ChainPasses {
 public:
  explicit ChainPasses(std::shared_ptr<engine::Engine> engine) : passes_(std::move(engine)) {}

  int context() const { return passes_.context(); }
  /// Makes room for so many tokens, text and chain, at most `context`.
  void reserve(int tokens) { passes_.reserve(tokens); }
  /// The bytes of keys and values after that.
  std::int64_t bytes(int tokens) const { return passes_.bytes(tokens); }
  int length() const { return passes_.length(); }
  void keep_prefix(std::span<const Token> text) { passes_.keep_prefix(text); }

  /// Forwards the tokens of the text that the cache does not hold, and drops any chain; see TreePasses::read.
  engine::LogitsRow read(std::span<const Token> text) { return passes_.read(text); }
  /// Forwards one token more of the chain. @return likewise
  engine::LogitsRow extend(Token token);
  /// Forwards more tokens of the chain, as TreePasses::forward_ahead.
  template <typename Forward>
  void extend_by(const Forward& forward) {
    passes_.forward_ahead(forward);
  }
  /// Commits the chain's first tokens, as many as were forwarded, and drops the others.
  void keep(int tokens);

 private:
  TreePasses passes_;
  std::vector<int> kept_;  // rows
};

}  // namespace outrider::draft
