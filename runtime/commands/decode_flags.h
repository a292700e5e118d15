#pragma once

#include <set>
#include <string>

#include "runtime/cli/cost_flags.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/target_flags.h"

namespace outrider {

/// The options of `runtime decode`. The initial values are the defaults in the help and in
/// configs/decode.toml.
struct DecodeFlags {
  cli::TargetFlags target;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"auto"};
  cli::CostFlags costs;

  int sequences = 1;  // at a time
  bool check = false;
  bool attribute = false;
  int min_span = 5;  // shortest copy that is attributed, in tokens

  std::string json;  // "-": standard output
  bool quiet = false;

  std::set<std::string> given;  // long names of the flags on the command line
};

void declare_flags(cli::CommandOptions& command, DecodeFlags& flags);

}  // namespace outrider
