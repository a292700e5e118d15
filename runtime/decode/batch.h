#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/decode/batch_slot.h"
#include "runtime/decode/cache_pool.h"
#include "runtime/decode/request.h"
#include "runtime/decode/row_share.h"
#include "runtime/decode/sequence_listener.h"
#include "runtime/engine/asked_draft.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::decode {

struct BatchOptions {
  /// Rows of prompts, and of given answers that are read, of all sequences in a pass together. The rest of a pass is
  /// for texts that are running, which so never wait for a long prompt.
  int prompt_rows = 64;
  /// Of a pass: enough for the largest draft of one text with its last token. Where several draft, they share them, since a
  /// pass needs memory for the logits of every row; what a share cuts of a draft is in DecodeStats::cut_rounds.
  int most_rows = 2049;
  /// Bytes of keys and values, and of what drafters keep of their texts, that all sequences together may hold; a
  /// single one may exceed them. 0: no limit.
  std::int64_t cache_bytes = 0;
  /// Of these, for sequences that have finished, so that a text which begins like one of them is not read again: those
  /// used the longest ago leave first. 0: they leave before the next pass.
  std::int64_t kept_bytes = 0;
  std::optional<int> top = {};  // tokens whose probabilities scores have; nothing: no scores
  ShareRows share = share_rows_evenly;
};

/// Sums over all passes; times in seconds.
struct BatchStats {
  std::int64_t passes = 0;
  std::int64_t rows = 0;  // forwarded
  // Not forwarded, since there were the keys and values
  std::int64_t shared_rows = 0;    // of a sequence beside it that begins alike
  std::int64_t kept_rows = 0;      // of a finished one
  std::int64_t turn_rows = 0;      // of the conversation's turn before (Request::after)
  std::int64_t output_tokens = 0;  // taken
  double forward_seconds = 0;
  double choose_seconds = 0;  // choosing tokens and scoring rows
};

/// Many sequences, each decoded as by Decoder, in the same passes of an engine. The bits of a row do not depend on the
/// other rows of its pass, so every text is the one that its sequence has alone, whatever is beside it, whenever it
/// joins, and whoever leaves.
///
/// Each pass has the draft of every sequence whose text is running, and rows of prompts to read. What sequences begin
/// with alike is forwarded once and copied. Drafters draft one after the other, each with its own state.
///
/// One thread owns a batch: all calls are made on it, `add` and `cancel` between passes or out of a listener.
class Batch {
 public:
  /// @param target  must outlive it
  explicit Batch(engine::Engine& target, BatchOptions options = {});
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Tokens that a request's cache of keys and values needs room for.
  static int tokens_of(const Request& request);
  /// Their bytes.
  std::int64_t cache_bytes(int tokens) const;
  /// Whether a sequence of so many tokens fits beside those that have not finished; always where there are none. Finished
  /// ones leave for it. `add` does not ask.
  /// @param drafter_bytes  draft::Drafter::text_bytes of so many tokens
  bool has_room(int tokens, std::int64_t drafter_bytes = 0) const;

  /// The sequence takes part from the next pass on.
  /// @param listener  must outlive the sequence: until `end` or `fail` was called, or the batch destroyed
  /// @throws InputError for a text that is empty or leaves no room for a token in the context
  SequenceId add(Request request, SequenceListener& listener);
  /// The sequence ends before the next pass, with the tokens so far. No effect on one that has finished.
  void cancel(SequenceId sequence);

  /// Forwards one pass, and calls the listeners.
  /// @return false, without one, where no sequence is left
  bool step();

  /// Sequences that have not finished.
  int size() const { return static_cast<int>(slots_.size() + joining_.size()); }
  /// Finished ones whose keys and values are kept, and how many bytes they take with their drafters.
  int kept() const { return static_cast<int>(kept_.size()); }
  std::int64_t kept_bytes() const;
  /// Bytes of keys and values, and of drafters, of all sequences, and those beside them.
  std::int64_t bytes_in_use() const;
  /// Bytes of BatchOptions::cache_bytes that are left if all finished sequences leave; below 0 where more is in use.
  std::int64_t room() const;
  /// Others that count within BatchOptions::cache_bytes, such as the weights of draft models; finished sequences leave for
  /// them.
  void set_bytes_beside(std::int64_t bytes);
  const BatchStats& stats() const { return stats_; }

 private:
  using KeptPlace = std::list<std::unique_ptr<KeptSequence>>::iterator;

  // Steps.
  template <typename Work>
  void for_each_in_pass(const Work& work);
  void build_pass();
  void share_rows();
  bool share_prefix(std::size_t reader);
  void forward();
  void choose();
  void set_scores();
  void retire();
  void retire(BatchSlot& slot);

  // What new sequences take over.
  std::int64_t bytes_of(std::int64_t tokens) const;
  KeptPlace find_kept(const Request& request);
  KeptSequence prepare(SequenceId id, const Request& request, KeptSequence* from);
  std::unique_ptr<BatchSlot> make_slot(SequenceId id, Request request, SequenceListener& listener);
  std::int64_t tokens_within(std::int64_t bytes) const;
  bool fits_beside(const KeptSequence& kept, std::int64_t bytes) const;
  void make_room(std::int64_t bytes);
  void trim(std::int64_t bytes);
  void drop_kept(std::int64_t bytes);

  engine::Engine& target_;
  BatchOptions options_;
  CachePool caches_;
  std::unique_ptr<sampling::Chooser> chooser_;
  engine::Pass pass_;
  std::vector<std::unique_ptr<BatchSlot>> slots_;    // in the order in which they joined
  std::vector<std::unique_ptr<BatchSlot>> joining_;  // from the next pass on
  std::list<std::unique_ptr<KeptSequence>> kept_;    // the one used last first
  std::int64_t bytes_beside_ = 0;
  std::vector<RowShare> shares_;  // of the sequences that may draft
  std::vector<sampling::AskedRow> asked_;
  std::vector<engine::AskedDraft> asked_drafts_;  // whose rows are all among these
  std::vector<sampling::RowScores> scores_;       // of these, and of more earlier
  SequenceId next_id_ = 1;
  BatchStats stats_;
};

}  // namespace outrider::decode
