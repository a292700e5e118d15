#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/journal.h"
#include "runtime/cost/drafted_rounds.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::calibrate {

/// What a draft model would draft in place of each token of an answer, after the target's own tokens
/// before it: from the second one on, since the prefill gives the first.
struct SsdTrial {
  std::vector<std::uint8_t> counted;   // 0: in a loop; nothing else is known of it then
  std::vector<std::uint8_t> in_head;   // whether the draft model can draft the target's token
  std::vector<std::uint8_t> accepted;  // whether it does
  std::vector<float> log_q;            // of its own token, as draft::DraftedToken::log_q

  std::size_t size() const { return counted.size(); }
  cost::DraftedText drafted_text() const { return {counted, accepted, log_q}; }
};

/// A trial as numbers for the journal, and back. @return nothing for numbers that are none
data::Journal::Entry entry_of(const SsdTrial& trial);
std::optional<SsdTrial> trial_of(const data::Journal::Entry& entry);

/// Drafts for answers without decoding: with the target's noise, so that each token is the one that
/// decoding with the answer's seed would draft there.
class SsdTrials {
 public:
  /// @param draft         must outlive it
  /// @param head_tokens   as Model::head_tokens
  /// @param target_vocab  what the draft model has beyond it is never drafted
  SsdTrials(engine::Engine& draft, std::vector<Token> head_tokens, int target_vocab);

  /// Positions beyond the draft model's context count as not accepted.
  SsdTrial of(const Answer& answer);

 private:
  engine::Engine& draft_;
  std::unique_ptr<sampling::Chooser> chooser_;
};

}  // namespace outrider::calibrate
