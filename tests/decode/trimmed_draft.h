#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/engine/engine.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::test {

/// A tiny target, and a draft model of its first layer that has half of its tokens.
class TrimmedDraft : public testing::Test {
 protected:
  /// An engine of this test, in the form in which drafters keep theirs.
  static std::shared_ptr<engine::Engine> shared(engine::Engine& engine) {
    return {&engine, [](engine::Engine*) {}};
  }
  /// None for the target's own.
  std::vector<Token> head_tokens(const engine::Engine& engine) const {
    return &engine == trimmed_.get() ? trimmed_model_.head_tokens : std::vector<Token>{};
  }
  int vocab() const { return target_.engine.config().vocab; }

  TinyEngine target_{model::WeightType::kQ4_1, 1, 2};
  model::Model trimmed_model_ =
      shallow_model(target_.model, std::vector<int>{1}, every_token(vocab(), 1, 2));
  std::unique_ptr<engine::Engine> trimmed_ = target_.engine.beside(trimmed_model_, {});
  std::vector<Token> prompt_ = random_tokens(25, vocab(), 4);
};

}  // namespace outrider::test
