#pragma once

#include <set>
#include <string>

#include "runtime/cli/cost_flags.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"

namespace outrider::calibrate {

struct ReplayOptions {
  cli::TargetFlags target;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"pld"};
  cli::CostFlags costs;
  int sequences = 1;  // decoded at a time
  // What to replay; all empty: texts that this run decodes.
  std::string answers;  // records of texts
  std::string data;     // a trace store
  std::string json;
  std::string acceptance;  // an artifact file or a folder of such files; empty: counts are not kept
  std::string resolved;    // all options as TOML
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line

  ReplayOptions() { prompts.prompts = cli::kShippedPrompts; }
};

/// Replays texts with the method, with progress, and writes what it would have drafted and have accepted:
/// texts that were decoded before, or prompts that this call decodes.
/// @throws CheckFailed naming the first pass of its own texts that differs; Interrupted
void replay_texts(ReplayOptions& options);

}  // namespace outrider::calibrate
