#pragma once

#include <string>

#include "runtime/inference/generation.h"
#include "runtime/methods/prepared_method.h"

namespace outrider {

/// The work of `runtime decode`, with flags resolved and the method prepared.
struct DecodeRun {
  inference::GenerationOptions generation = {};
  methods::PreparedMethod method;
  bool attributes = false;  // requested, and the method copies
  bool all_turns = false;   // of a prompt, not only the first
  int samples = 1;          // of each prompt
  int sequences = 1;        // decoded at a time
  bool check = false;
  std::string json = {};  // file; "-": standard output
  bool quiet = false;
};

}  // namespace outrider
