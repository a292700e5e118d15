#pragma once

#include <cstdint>

#include "runtime/cost/pass_rows.h"

namespace outrider::cost {

/// The rounds of drafting and verifying with one setting: they depend on the texts and the two models only.
struct Trial {
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;   // that they added to the texts, the target's own included
  std::int64_t drafted = 0;  // nodes
  PassRows verified;         // the target's passes
  PassRows drafting;         // the drafter's, the one that reads the text among them
  double tokens_per_second = 0;

  double tokens_per_pass() const { return share(tokens); }
  double drafted_per_round() const { return share(drafted); }
  double verified_per_round() const {
    return rounds == 0
               ? 0
               : verified.seconds([](int rows) { return rows; }) / static_cast<double>(rounds);
  }
  double draft_passes_per_round() const { return share(drafting.passes()); }

 private:
  double share(std::int64_t part) const {
    return rounds == 0 ? 0 : static_cast<double>(part) / static_cast<double>(rounds);
  }
};

}  // namespace outrider::cost
