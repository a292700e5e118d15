#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/draft/token_tree.h"
#include "runtime/engine/pass.h"
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

/// What a drafter says of a text, for records.
struct DrafterReport {
  std::vector<DrafterSeconds> seconds =
      {};  // its time, divided among the drafters that it consists of
  std::vector<DrafterCount> counts = {};
};

/// How drafts become text.
enum class Verification : std::uint8_t {
  kCoupled,    // where the target's own choices follow them: the text is that of plain decoding
  kRejection,  // speculative sampling: the text is distributed as that of plain decoding; the same at
               // temperature 0
};

/// What a drafter is and needs: the same in all its texts.
struct DrafterTraits {
  /// Enough nodes for the drafts of nearly all drafters, and for the largest grid of drafts that is calibrated, 25 of
  /// 14 tokens.
  static constexpr int kUsualNodes = 384;

  Verification verification = Verification::kCoupled;
  /// Nodes that its drafts have at most: the target's KV cache has rows for so many, and larger drafts are cut.
  int most_nodes = kUsualNodes;
  /// What `observe` needs: layers and best keys of every committed row, heads and logits of the last row of
  /// a prompt and of every row after it.
  engine::TapRequest wants = {};
  /// Whether it also observes the rows of nodes that the text does not keep; only of one that `wants` logits.
  bool wants_rejected = false;
};

/// The beginning of a text.
struct TextStart {
  std::span<const Token> text;  // the prompt
  int kept = 0;                 // tokens of it whose rows are still in the target's KV cache
  int most = 0;                 // tokens that the text may reach
};

/// Rows of a pass that a drafter observes; none are of other sequences. Either may be empty.
struct ObservedRows {
  /// Committed rows, consecutive and following those committed before.
  std::span<const int> kept;
  /// Rows of the last draft's nodes that the text does not keep, where DrafterTraits::wants_rejected. No attention can be
  /// read of them. What they show comes before what the committed rows do.
  std::span<const int> rejected = {};
};

/// Drafts the target's next tokens. The text depends on the target's own choices only, so a drafter can
/// only change the speed; with Verification::kRejection its distribution depends on the target only.
///
/// A plain drafter has a name and fills a tree. One that knows something of the text at hand forgets it in `begin`; what it
/// needs to be shown it asks for in `traits`, and learns it in `observe` and `verified`.
class Drafter {
 public:
  virtual ~Drafter() = default;

  /// The name in records: "pld", "context-ngram", …
  virtual std::string name() const = 0;

  virtual DrafterTraits traits() const { return {}; }

  /// Of the text so far. @param seconds  that its calls took, to be divided
  virtual DrafterReport report(double seconds) const { return {{{name(), seconds}}, {}}; }

  /// Bytes of memory that it may take for a text of at most so many tokens, as far as they grow with the text: keys and
  /// values of its own models, states that it keeps. What it holds of a text before counts where that stays.
  virtual std::int64_t text_bytes(int /*tokens*/) const { return 0; }

  /// Takes over what another drafter, of the same method and settings, observed of the first `tokens` tokens of its text,
  /// where that is more than it knows itself: the text that starts next begins with them. `start` then need not ask for
  /// their rows again. One of another class gives it nothing.
  void adopt(const Drafter& like, int tokens) {
    if (typeid(like) == typeid(*this)) take_over(like, tokens);
  }

  /// Starts a text.
  /// @return how much of the prefix that is kept need not be forwarded again: the rows that the drafter has observed
  ///         before, or all if it observes none. Later rows are passed to `observe`.
  int start(const TextStart& text) { return begin(text); }
  int start(std::span<const Token> text, int kept) {
    return begin({text, kept, static_cast<int>(text.size())});
  }

  /// Observes rows of a pass; only called if its traits want something. A replay may pass the same rows in other passes than
  /// decoding: several calls instead of one, or a pass with later rows. The pass may have rows of other sequences, and hand
  /// out more than was requested; nothing of it is valid after the call.
  virtual void observe(const engine::Pass& /*pass*/, const ObservedRows& /*rows*/) {}

  /// Adds a draft to a tree of just the root, `committed.back()`. The nodes' origin names this drafter, or the part of it
  /// that drafted them.
  /// @param tree  with room for at least one node; see `tree.limits()`
  void draft(const DraftContext& context, TokenTree& tree) {
    const Drafter* const asking = tree.set_drafter(this);
    const AcceptanceTable* const known = tree.acceptance();
    if (acceptance_ != nullptr) tree.set_acceptance(acceptance_.get());
    fill(context, tree);
    tree.set_acceptance(known);
    tree.set_drafter(asking);
  }
  /// What calibration counted of the acceptance of its drafts, and of those of its parts that have nothing of their own.
  void set_acceptance(std::shared_ptr<const AcceptanceTable> table) {
    acceptance_ = std::move(table);
  }

  /// Called after each verification of a draft that it was asked for. One that was not, since others had all rows of
  /// a pass, finds the tokens of that turn in the text of its next draft.
  /// @param accepted  the accepted nodes of its own tree, from below the root down
  /// @param next      the token after them: the target's own, that of the node that ended the text, or, beside other drafters,
  ///                  that of another one's node, after which the text may go on
  virtual void verified(std::span<const int> /*accepted*/, Token /*next*/) {}

 protected:
  /// Adds the draft of `draft`, or nothing if it has none. May forward any number of passes of its own model. With
  /// Verification::kRejection above temperature 0 it notes in the tree what children were drawn from (see DrawnChildren):
  /// whether a node is in the tree must not depend on its own draw, nor on those of its siblings.
  virtual void fill(const DraftContext& context, TokenTree& tree) = 0;
  /// `start`: clears what it knows of another text, and makes room, so that the steps of this one allocate nothing.
  virtual int begin(const TextStart& text) { return text.kept; }
  /// `adopt`, of one of its own class.
  virtual void take_over(const Drafter& /*like*/, int /*tokens*/) {}

 private:
  std::shared_ptr<const AcceptanceTable> acceptance_;
};

}  // namespace outrider::draft
