#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/replay/observations.h"
#include "runtime/cost/pass_seconds.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/row_stats.h"

namespace outrider::calibrate {

/// The passes of decoding and their yield; `tokens` as tau counts them: without the prefill and its
/// token.
struct Replay {
  std::int64_t passes = 0;
  std::int64_t tokens = 0;
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  std::int64_t cut_rounds = 0;  // passes whose draft had more nodes than there was room for
  std::map<int, std::int64_t> passes_by_drafted;  // number of passes by their drafted tokens
  draft::RowStats rows;                           // where drafts note them
  std::vector<decode::PassDraft> by_pass;         // [passes]
  draft::AcceptanceTable acceptance;  // of the drafted tokens that the target was asked about

  void add_pass(int drafted_now, int accepted_now, int tokens_now);
  void add(const Replay& other);
  double tokens_per_pass() const {
    return passes == 0 ? 1 : static_cast<double>(tokens) / static_cast<double>(passes);
  }
  double drafted_per_pass() const {
    return passes == 0 ? 0 : static_cast<double>(drafted) / static_cast<double>(passes);
  }
};

/// The time of the passes of a replay.
double predicted_seconds(const Replay& replay, const cost::PassSeconds& pass_seconds);
/// Its tokens per second; 0 without passes.
double predicted_rate(const Replay& replay, const cost::PassSeconds& pass_seconds);

/// Walks through an answer exactly like the decode loop. The text does not depend on the drafter,
/// so nothing is decoded again. Passes in loops are left out.
/// @param drafter       nullptr: plain decoding
/// @param observations  for a drafter that observes; started by this function
Replay replay(const Answer& answer, draft::Drafter* drafter, Observations* observations = nullptr);

/// All answers one after the other, with a drafter that observes nothing.
Replay replay_all(const std::vector<Answer>& answers, draft::Drafter* drafter);

}  // namespace outrider::calibrate
