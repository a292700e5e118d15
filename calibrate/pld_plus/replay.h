#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "calibrate/pld_plus/answer.h"

namespace outrider::calibrate {

/// What a drafter could copy at one position of an answer, whatever its draft length.
struct CopyChance {
  int available = 0;  // tokens between the source and the last token; 0: no draft
  int agreeing = 0;   // of those, how many the target goes on to say
};

/// @param t       the position of the last committed token
/// @param source  an earlier position to copy from
CopyChance copy_chance(std::span<const Token> text, int t, int source);

/// The passes that decoding takes, and what they yield; `tokens` as tau counts them: without the
/// prefill and its token.
struct Replay {
  std::int64_t passes = 0;
  std::int64_t tokens = 0;
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  std::map<int, std::int64_t> passes_by_drafted;  // how many passes carried so many drafted tokens

  void add(const Replay& other);
  double tokens_per_pass() const {
    return passes == 0 ? 1 : static_cast<double>(tokens) / static_cast<double>(passes);
  }
  double drafted_per_pass() const {
    return passes == 0 ? 0 : static_cast<double>(drafted) / static_cast<double>(passes);
  }
};

/// Walks through an answer as the decode loop does when its drafter copies at most `draft_length`
/// tokens. The text does not depend on the drafter, so nothing is decoded again.
/// @param chances  [answer tokens - 1], of positions from the first token of the answer on
Replay replay(std::span<const CopyChance> chances, int draft_length);

}  // namespace outrider::calibrate
