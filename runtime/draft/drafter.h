#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/engine/pass.h"
#include "runtime/sampling/sequence_sampling.h"

namespace outrider::draft {

/// What a draft is made for.
struct DraftContext {
  /// The prompt and every token decided so far; the last one is the tree's root. The first drafted
  /// token would take the position `committed.size()`.
  std::span<const Token> committed;
  /// How the target chooses, for drafters that draw with its noise.
  sampling::SequenceSampling sampling = sampling::SequenceSampling::greedy();
};

/// The time that a drafter took.
struct DrafterSeconds {
  std::string name;
  double seconds = 0;
};

/// Proposes what the target may choose next. The target's own choices alone decide the text, so a
/// drafter can only change the speed.
class Drafter {
 public:
  virtual ~Drafter() = default;

  /// What records call it: "pld", "context-ngram", …
  virtual std::string name() const = 0;

  /// How time that it took divides among the drafters that it is made of.
  virtual std::vector<DrafterSeconds> divide(double seconds) const { return {{name(), seconds}}; }

  /// Forgets everything; the next call belongs to another text.
  virtual void reset() {}

  /// Begins a text.
  /// @param kept  how many of its first tokens the target still has the keys and values of
  /// @return how many of these need not be forwarded again: those whose rows the drafter observed
  ///         before, or all if it observes none. The rows of the others will be shown to `observe`.
  virtual int start(std::span<const Token> /*text*/, int kept) {
    reset();
    return kept;
  }

  /// What `observe` wants: layers and best keys of every row that is kept, heads and logits of the last
  /// row of a prompt and of every row after it. Asked once a text.
  virtual engine::TapRequest wants() const { return {}; }

  /// Told of rows that were kept, which follow each other and all that was kept before; only if `wants`
  /// asks for something of them. A replay shows the same rows in other passes than decoding: several calls
  /// in place of one, or a pass with rows that come later.
  virtual void observe(const engine::Pass& /*pass*/, std::span<const int> /*rows*/) {}

  /// Adds what it proposes to a tree of just the root, `committed.back()`; nothing where it has no
  /// proposal. May forward any number of passes of a model of its own.
  /// @param tree  has room for at least one node; how much says `tree.limits()`
  virtual void draft(const DraftContext& context, TokenTree& tree) = 0;

  /// Told after each verification what became of the last draft.
  /// @param accepted  the nodes that the text goes on with, from below the root down
  /// @param next      the token after them, the text's last one: the target's own, or that of the node
  ///                  that ended the text
  virtual void verified(std::span<const int> /*accepted*/, Token /*next*/) {}
};

}  // namespace outrider::draft
