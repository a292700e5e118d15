#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/request.h"
#include "runtime/decode/round.h"
#include "runtime/decode/row_share.h"
#include "runtime/decode/sequence.h"
#include "runtime/decode/sequence_listener.h"
#include "runtime/engine/asked_draft.h"

namespace outrider::decode {

/// What a sequence leaves when it has finished: the keys and values of its text, and the drafter that followed it.
struct KeptSequence {
  SequenceId id = 0;
  Sequence sequence;
  std::unique_ptr<draft::Drafter> drafter = nullptr;
  std::string drafter_name = {};
  std::int64_t drafter_bytes = 0;  // that the drafter may take: Drafter::text_bytes
};

/// A sequence in a batch.
class BatchSlot {
 public:
  /// @param kept  the sequence, and the drafter
  BatchSlot(KeptSequence kept, int vocab, SequenceListener& listener);
  // Its round refers to it.
  BatchSlot(const BatchSlot&) = delete;
  BatchSlot& operator=(const BatchSlot&) = delete;

  /// Begins the answer: in the sequence, the listener and the drafter.
  /// @param like  a finished one whose rows of the text are copied, and what its drafter observed of them; may be null
  void begin(Request& request, const KeptSequence* like);

  SequenceId id() const { return kept_.id; }
  Sequence& sequence() { return kept_.sequence; }
  const Sequence& sequence() const { return kept_.sequence; }
  Round& round() { return round_; }
  const Round& round() const { return round_; }
  SequenceListener& listener() { return listener_; }
  std::int64_t drafter_bytes() const { return kept_.drafter_bytes; }
  bool drafts() const { return kept_.drafter != nullptr; }
  bool wants_scores() const { return wants_scores_; }
  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }

  /// Calls `work`, and notes what it throws.
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  bool has_failed() const { return error_ != nullptr; }
  const std::exception_ptr& error() const { return error_; }

  /// Whether it still has to read more of its prompt than the last token.
  bool is_reading_prompt() const { return sequence().held() + 1 < sequence().prompt(); }
  /// Whether rows of its prompt may come from another sequence: where its drafter has to see them, the other one's must
  /// have been made alike.
  bool can_adopt(const BatchSlot& other) const;
  /// Copies the first rows of another sequence, as far as its drafter and its listener need not see them.
  void adopt(const BatchSlot& other, int tokens);

  /// How many nodes the next draft may have.
  void set_nodes(int nodes) { nodes_ = nodes; }
  // Before every pass: it has no rows in it, unless one of the other two is called.
  void wait() { rows_ = 0; }
  void draft(engine::Pass& pass);
  void read(engine::Pass& pass, int tokens);
  /// Its rows in the pass.
  int rows() const { return rows_; }
  /// What the pass has to hand out for them.
  const engine::TapRequest& request() const { return request_; }

  /// @param seconds  its part of the pass
  void forwarded(const engine::Pass& pass, double seconds);
  /// Adds the rows that it asks about now, and the draft whose rows all are among them.
  void ask(const sampling::Chooser& chooser, const engine::Pass& pass,
           std::vector<sampling::AskedRow>& rows, std::vector<engine::AskedDraft>& drafts);
  int first_asked() const { return first_asked_; }
  int num_asked() const { return num_asked_; }
  /// @param rows  of all sequences; @param seconds  for each
  /// @return the number of tokens taken
  int answer(const engine::Pass& pass, std::span<const sampling::AskedRow> rows, double seconds);
  void end(const engine::Pass& pass);

  /// What it leaves. Nothing else may be called afterwards but `listener`.
  std::unique_ptr<KeptSequence> leave() { return std::make_unique<KeptSequence>(std::move(kept_)); }

 private:
  void observe(const engine::Pass& pass);

  KeptSequence kept_;
  Round round_;
  SequenceListener& listener_;
  OnToken on_token_;
  engine::TapRequest observed_;  // by the listener
  bool wants_scores_ = false;
  bool sees_prompt_ = false;  // the drafter
  bool is_cancelled_ = false;
  std::exception_ptr error_;
  engine::TapRequest request_;
  int nodes_ = 0;
  int rows_ = 0;
  int first_asked_ = 0;
  int num_asked_ = 0;
};

}  // namespace outrider::decode
