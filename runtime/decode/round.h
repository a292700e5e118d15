#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/decode/choices_after_nodes.h"
#include "runtime/decode/decode_result.h"
#include "runtime/decode/rejection_choice.h"
#include "runtime/decode/sequence.h"
#include "runtime/decode/verify.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/drafter_stats.h"
#include "runtime/draft/row_stats.h"
#include "runtime/engine/asked_draft.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/tap_request.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::decode {

/// One sequence's turns in the passes of an engine. In a turn it adds rows to a pass: the next of its prompt, or a draft
/// below its last token. When the pass is done, it asks for the target's choices, of all rows at once where their logits lie
/// elsewhere than on the host, but for those by rejection, else row by row; follows them down the
/// draft, keeps the rows on that path, which are those that plain decoding would have computed, and tells its drafter. An
/// engine that followed its choices itself has moved these rows by then.
/// A pass may have the rows of any number of sequences: a round knows the first of its own.
///
///     read or draft;  a pass;  forwarded;  while it asks: ask, answer;  end
///
/// Turns allocate nothing, but for larger drafts than before.
class Round {
 public:
  /// @param vocab  of the target
  explicit Round(int vocab);

  /// Starts an answer of a sequence that has begun one, and its drafter.
  /// @param drafter   nullptr: plain decoding
  /// @param on_token  may be empty; all arguments must outlive the answer
  void begin(Sequence& sequence, draft::Drafter* drafter, const OnToken& on_token);
  /// After `begin`: the drafter takes over what another one of the same method and settings observed of the first
  /// `tokens` tokens of the text, and starts again. Without a drafter this does nothing.
  /// @param like  may be null: it starts again by what it observed itself
  /// @return how many tokens need not be read, at most `tokens`
  int adopt(const draft::Drafter* like, int tokens);
  /// Without a drafter: reads a given answer as it does the prompt, many tokens in a pass.
  void read_given() { reads_given_ = true; }

  // Before a pass: one of these two.

  /// Tokens to be read before the text runs on; 0: it drafts.
  int unread() const;
  /// Adds the rows of the next of them.
  void read(engine::Pass& pass, int tokens);

  /// How large the next draft may be.
  draft::DraftLimits limits() const;
  /// Drafts, and adds the rows of the draft; just that of the last token where `limits` leave no room or there is no
  /// drafter.
  /// @param nodes  more than so many are not drafted; 0: the drafter is not asked
  void draft(engine::Pass& pass, int nodes);

  /// What the pass has to hand out for these rows.
  const engine::TapRequest& request() const { return request_; }

  // After it.

  /// Of a prompt: keeps its rows, and shows them to the drafter.
  void forwarded(const engine::Pass& pass);
  /// Whether the choices after rows of the pass are wanted.
  bool asks() const;
  /// Adds these rows, and the draft where all of its rows are asked about. Whose token is known, a given one or one chosen
  /// by rejection, has it and no sampling.
  /// @param chooser  of the pass's logits
  /// @param drafts   refer to the rows of the pass
  void ask(const sampling::Chooser& chooser, const engine::Pass& pass,
           std::vector<sampling::AskedRow>& rows, std::vector<engine::AskedDraft>& drafts);
  /// Takes their tokens, in order.
  void answer(const engine::Pass& pass, std::span<const sampling::AskedRow> rows);
  /// The scores of the row whose token is being handed out, where they were asked for.
  const sampling::RowScores* scores() const { return scores_; }
  /// Once it asks no more: keeps the draft's rows on the path, and tells the drafter.
  void end(const engine::Pass& pass);

  /// The rows of the pass that the text keeps, ascending: of a prompt after `forwarded`, of a draft after `end`.
  std::span<const int> kept() const { return kept_; }
  /// How many rows it has in the pass.
  int rows() const { return rows_; }

  // Of an answer.

  /// What was done so far, without what the drafter knows of itself.
  const DecodeStats& stats() const { return stats_; }
  /// After the last token.
  DecodeResult result();

  // Where passes are shared: by default all time that goes by between calls is counted.

  /// The time since the last call was spent on other sequences too, and is not counted.
  void skip_time() { clock_.lap(); }
  /// Counts a part of a pass, and of choices, that were skipped.
  void add_seconds(double verify, double sample);

 private:
  enum class Turn { kNone, kReads, kDrafts };

  int begin_rows(engine::Pass& pass);
  void begin_text();
  sampling::AskedRow asked_row(const sampling::Chooser& chooser, const engine::LogitsRow& row,
                               int position);
  bool uses_rejection() const;
  bool can_ask_whole(const engine::Pass& pass) const;
  bool take(Token token, const draft::Origin& origin);
  void end_lap(double& seconds);
  void tell_drafter(const engine::Pass& pass, const VerifiedDraft& verified);

  int vocab_;
  Sequence* sequence_ = nullptr;
  draft::Drafter* drafter_ = nullptr;
  const OnToken* on_token_ = nullptr;
  bool reads_given_ = false;
  draft::DrafterTraits traits_;  // of the drafter

  // Of the turn.
  Turn turn_ = Turn::kNone;
  int first_row_ = 0;
  int rows_ = 0;
  int first_logits_ = 0;     // number of its first row with logits among those of the pass
  int asking_ = 0;           // of a prompt: rows with logits whose tokens were not taken yet
  bool was_asked_ = false;   // the drafter
  bool asks_whole_ = false;  // the target's choices after all rows of the draft
  engine::TapRequest request_;
  draft::TokenTree tree_;
  std::vector<int> row_of_;        // [nodes] among its rows
  ChoicesAfterNodes after_nodes_;  // of the draft whose choices are asked for at once
  Verifier verifier_;
  const sampling::RowScores* scores_ = nullptr;
  std::vector<int> kept_;      // rows
  std::vector<int> kept_own_;  // the same, among its rows
  std::vector<int> rejected_;  // rows
  double verified_before_ = 0;
  double sampled_before_ = 0;
  double other_seconds_ = 0;  // besides its draft, pass and choices

  // Of the answer.
  DecodeStats stats_;
  double draft_seconds_ = 0;
  draft::DrafterStats by_drafter_;
  draft::RowStats row_stats_;
  draft::AcceptanceTable acceptance_;
  std::optional<RejectionChoice> rejection_;  // once a drafter has asked for it
  std::vector<float> masked_;                 // the logits that it chooses by
  Stopwatch since_begin_;
  Stopwatch clock_;  // since the first token, or since the last lap
};

}  // namespace outrider::decode
