#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/model/held_text.h"
#include "runtime/engine/text_step.h"

namespace outrider::draft {

/// The passes of a draft model over one sequence: over the text, which its own KV cache commits, and over
/// a tree drafted after it, whose rows the cache holds until verification says which path the text keeps.
/// Nothing is forwarded twice, and passes like those before allocate nothing.
class TreePasses {
 public:
  /// A token to forward.
  struct Node {
    static constexpr int kText = -1;

    Token token;
    int parent;  // the number of the row that it follows, or kText
  };

  explicit TreePasses(std::shared_ptr<engine::Engine> engine);

  /// The most tokens, text and path, that the model takes.
  int context() const { return engine_->config().context; }
  /// Makes room for a text of so many tokens, at most `context`, and for rows of a tree beside them.
  void reserve(int tokens, int rows = 0);
  /// The bytes of keys and values after that.
  std::int64_t bytes(int tokens, int rows = 0) const;

  /// How many tokens of the text the cache has.
  int length() const { return held_.length(); }
  /// Drops what is not a prefix of the text.
  void keep_prefix(std::span<const Token> text);

  /// Forwards the tokens of the text that the cache does not hold, and drops any tree. Then `logits(0)` is of the last
  /// token's row. Lives as long as its passes.
  class UnreadStep : public engine::TextStep {
   public:
    /// @param text  longer than what the cache has, and beginning with it
    /// @throws std::logic_error for a text that is not longer
    UnreadStep(TreePasses& passes, std::span<const Token> text);
    void take(const engine::StepRows& rows) override;

   private:
    void add_chunk(engine::Pass& pass, int sequence, int first, int count) override;

    TreePasses& passes_;
    std::span<const Token> text_;
  };
  /// The step in passes of its own. @return the logits of the last token's row, until the next pass
  engine::LogitsRow read(std::span<const Token> text);

  /// How many rows the tree has: the number that its next one gets.
  int rows() const { return static_cast<int>(tree_.size()); }
  /// Forwards nodes of the tree; each follows a row of an earlier pass. Lives as long as the pass.
  class NodesStep : public engine::PassStep {
   public:
    NodesStep(TreePasses& passes, std::span<const Node> nodes) : passes_(passes), nodes_(nodes) {}
    void add_rows(engine::Pass& pass) override;
    void take(const engine::StepRows& rows) override;

   private:
    TreePasses& passes_;
    std::span<const Node> nodes_;
  };
  /// The step in a pass of its own.
  void forward(std::span<const Node> nodes);
  /// Logits of the i-th of the nodes forwarded last, until the next pass.
  engine::LogitsRow logits(int i) const { return taken_.logits(i); }
  /// For how many rows more there is room.
  int room() const { return cache_->capacity() - length() - rows(); }
  /// Has rows forwarded that an engine::AheadReader drafts.
  /// @param forward  (the cache) -> the tokens of the rows that it has forwarded
  template <typename Forward>
  void forward_ahead(const Forward& forward) {
    const std::span<const Token> tokens = forward(*cache_);
    tree_.insert(tree_.end(), tokens.begin(), tokens.end());
    cache_->hold();
  }
  /// Commits the rows of a path from the text down, and drops the others.
  void keep(std::span<const int> path);

 private:
  engine::KvCache& begin_reading(std::span<const Token> text);
  Token readable(Token token) const;

  std::shared_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::KvCache> cache_;
  engine::TextOptions reading_;
  engine::Pass pass_;
  engine::StepRows taken_;   // of the last pass
  HeldText held_;            // committed
  std::vector<Token> tree_;  // forwarded and held, by row
};

}  // namespace outrider::draft
