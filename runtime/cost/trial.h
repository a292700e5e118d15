#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/cost/pass_rows.h"
#include "runtime/cost/pass_shape.h"
#include "runtime/cost/setting_values.h"

namespace outrider::cost {

/// What the rounds of drafting and verifying with one setting sum to: they depend on the texts and the two models only.
struct TrialCounts {
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;   // that they added to the texts, the target's own included
  std::int64_t drafted = 0;  // nodes
  std::int64_t lacking = 0;  // rounds that ended where what was recorded of the drafter did
  PassRows verified;         // the target's passes
  PassRows drafting;         // the drafter's, the one that reads the text among them

  double tokens_per_pass() const { return share(tokens); }
  double drafted_per_round() const { return share(drafted); }
  double verified_per_round() const {
    return rounds == 0
               ? 0
               : verified.seconds([](int rows) { return rows; }) / static_cast<double>(rounds);
  }
  double draft_passes_per_round() const { return share(drafting.passes()); }
  /// Of the output tokens those that were drafted: the acceptance rate of Gong et al. (2024), table 1.
  double acceptance() const {
    return tokens == 0 ? 0 : static_cast<double>(tokens - rounds) / static_cast<double>(tokens);
  }

  void add(const TrialCounts& other);

 private:
  double share(std::int64_t part) const {
    return rounds == 0 ? 0 : static_cast<double>(part) / static_cast<double>(rounds);
  }
};

/// A method's setting that was tried.
struct Trial : TrialCounts {
  SettingValues settings;
  Shape shape = Shape::kChain;  // of what is verified
  std::map<std::string, std::int64_t>
      other;                     // counts that this method's trials alone have, by name
  double tokens_per_second = 0;  // on the machine that it was priced for; not stored
};

}  // namespace outrider::cost
