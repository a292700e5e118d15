#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/engine/pass.h"
#include "runtime/sampling/distribution.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_constraint.h"

namespace outrider::draft {

/// The input of a draft.
struct DraftContext {
  /// The prompt and all generated tokens; the last one is the tree's root. The first drafted token has the
  /// position `committed.size()`.
  std::span<const Token> committed;
  /// The target's sampling, for drafters that draw with its noise.
  sampling::SequenceSampling sampling = sampling::SequenceSampling::greedy();
  /// What the answer has to be, which drafters may ask, and leave as it was; null: anything. Nodes that it refuses are cut
  /// out of the draft.
  sampling::TokenConstraint* constraint = nullptr;
};

/// Time taken by a drafter.
struct DrafterSeconds {
  std::string name;
  double seconds = 0;
};

/// Something that a drafter counted in a text.
struct DrafterCount {
  std::string name;
  std::int64_t count = 0;
};

/// How drafts become text.
enum class Verification : std::uint8_t {
  kCoupled,    // where the target's own choices follow them: the text is that of plain decoding
  kRejection,  // speculative sampling: the text is distributed as that of plain decoding; the same at
               // temperature 0
};

/// Drafts the target's next tokens. The text depends on the target's own choices only, so a drafter can
/// only change the speed; with Verification::kRejection its distribution depends on the target only.
class Drafter {
 public:
  /// Enough nodes for the drafts of nearly all drafters, and for the largest grid of drafts that is calibrated, 25 of
  /// 14 tokens.
  static constexpr int kUsualNodes = 384;

  virtual ~Drafter() = default;

  /// The name in records: "pld", "context-ngram", …
  virtual std::string name() const = 0;

  /// Divides its time among the drafters that it consists of.
  virtual std::vector<DrafterSeconds> divide(double seconds) const { return {{name(), seconds}}; }

  /// Its counters since the start of the text, for records.
  virtual std::vector<DrafterCount> counts() const { return {}; }

  virtual Verification verification() const { return Verification::kCoupled; }
  /// With Verification::kRejection above temperature 0: what the first child of a node of the last draft was
  /// drawn from; see DrawnChildren. Whether a node is in the tree must not depend on its own draw, nor on
  /// those of its siblings.
  virtual const sampling::Distribution& drawn_from(int /*node*/) const {
    throw std::logic_error("Drafter: its drafts have no distribution");
  }

  /// Clears all state; the next call is for another text.
  virtual void reset() {}

  /// Takes over what another drafter, of the same method and settings, observed of the first `tokens` tokens of its text,
  /// where that is more than it knows itself: the text that starts next begins with them. `start` then need not ask for
  /// their rows again.
  virtual void adopt(const Drafter& /*like*/, int /*tokens*/) {}

  /// Starts a text.
  /// @param kept  the length of the prefix that is still in the target's KV cache
  /// @return how much of the prefix need not be forwarded again: the rows that the drafter has observed
  ///         before, or all if it observes none. Later rows are passed to `observe`.
  virtual int start(std::span<const Token> /*text*/, int kept) {
    reset();
    return kept;
  }

  /// Makes room for a text of this many tokens, so that its steps allocate nothing; called after `start`, with the
  /// most tokens that the text may reach.
  virtual void reserve(int /*tokens*/) {}

  /// Nodes that its drafts have at most: the target's KV cache has rows for so many, and larger drafts are cut.
  virtual int most_nodes() const { return kUsualNodes; }

  /// Bytes of memory that it may take for a text of at most so many tokens, as far as they grow with the text: keys and
  /// values of its own models, states that it keeps. What it holds of a text before counts where that stays.
  virtual std::int64_t text_bytes(int /*tokens*/) const { return 0; }

  /// What `observe` needs: layers and best keys of every committed row, heads and logits of the last row of
  /// a prompt and of every row after it. Called once per text.
  virtual engine::TapRequest wants() const { return {}; }

  /// Observes committed rows, consecutive and following those committed before; only called if `wants`
  /// requests something. A replay may pass the same rows in other passes than decoding: several calls
  /// instead of one, or a pass with later rows. The pass may have rows of other sequences, and hand out more
  /// than was requested; nothing of it is valid after the call.
  virtual void observe(const engine::Pass& /*pass*/, std::span<const int> /*rows*/) {}

  /// Whether it also observes the rows of nodes that the text does not keep; only of one that `wants` logits.
  virtual bool wants_rejected() const { return false; }
  /// Observes these rows of the pass of the last draft; called then, before `observe`. They are not committed: no
  /// attention can be read of them. The pass is as in `observe`.
  virtual void observe_rejected(const engine::Pass& /*pass*/, std::span<const int> /*rows*/) {}

  /// Adds a draft to a tree of just the root, `committed.back()`. The nodes' origin names this drafter, or the part of it
  /// that drafted them.
  /// @param tree  with room for at least one node; see `tree.limits()`
  void draft(const DraftContext& context, TokenTree& tree) {
    const Drafter* const asking = tree.set_drafter(this);
    fill(context, tree);
    tree.set_drafter(asking);
  }

  /// Called after each verification of a draft that it was asked for. One that was not, since others had all rows of
  /// a pass, finds the tokens of that turn in the text of its next draft.
  /// @param accepted  the accepted nodes of its own tree, from below the root down
  /// @param next      the token after them: the target's own, that of the node that ended the text, or, beside other drafters,
  ///                  that of another one's node, after which the text may go on
  virtual void verified(std::span<const int> /*accepted*/, Token /*next*/) {}

 protected:
  /// Adds the draft of `draft`, or nothing if it has none. May forward any number of passes of its own model.
  virtual void fill(const DraftContext& context, TokenTree& tree) = 0;
};

}  // namespace outrider::draft
