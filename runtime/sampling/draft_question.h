#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/engine/ahead_reader.h"
#include "runtime/engine/row_reader.h"
#include "runtime/sampling/log_softmax.h"
#include "runtime/sampling/token_choice.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

/// What a drafter asks about a row of its model's logits.
struct DraftQuestion {
  enum class Choice : std::uint8_t {
    kNone,
    kToken,         // as TokenChoice::choose
    kTokenAndLead,  // as TokenChoice::choose_with_lead
    kUnnormalised,  // as TokenChoice::rank_unnormalised
    kRanked,        // as TokenChoice::rank
  };

  int row = 0;                // of the pass's logits
  std::int64_t position = 0;  // of the token after it
  Choice choice = Choice::kToken;
  int most = 1;                                            // tokens of a ranking
  double reach = std::numeric_limits<double>::infinity();  // kUnnormalised
  bool wants_softmax = true;
  bool wants_best = false;  // the largest logits, as many as the chooser keeps; with the softmax
};

struct DraftAnswer {
  ChosenToken chosen = {};               // kToken, kTokenAndLead
  float logit = 0;                       // of the chosen token
  std::vector<RankedToken> ranked = {};  // kUnnormalised, kRanked: best first
  std::vector<float> logits = {};        // [ranked]
  LogSoftmax softmax = {};               // of the row
  engine::RowAnswer sums = {};           // likewise: the best are rows of the head
};

/// What is drafted ahead: see engine::AheadReader.
struct DraftAhead {
  engine::KvCache& cache;
  const engine::Logits& logits;
  std::span<const engine::RowBefore> before;
  engine::Ahead form;
  std::span<engine::RowAhead> rows;
  engine::AheadStates states = {};
};

}  // namespace outrider::sampling
