#pragma once

#include <string>

namespace outrider::cost {

/// A draft model and a target's engine, as they were when settings were found for them on one machine.
struct CalibratedPair {
  std::string draft;      // hash of the draft model: artifacts::draft_hash
  std::string numerics;   // of the target's engine
  int threads = 0;        // of the target
  int draft_threads = 0;  // of the draft model
  int context = 0;        // tokens before the passes that were timed
  std::string isa = {};   // of the target's engine; empty: not known, in older files
};

}  // namespace outrider::cost
