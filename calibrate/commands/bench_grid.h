#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"

namespace outrider::calibrate {

/// What `calibrate bench --grid` and `--stops` take.
struct GridFlags {
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"ngrammys"};
  std::vector<std::string> drafts, draft_lengths;  // as written; empty: the usual ones
  std::string plot;
  std::set<std::string> given;  // long names of the flags on the command line

  GridFlags() { prompts.prompts = cli::kShippedPrompts; }
};

/// --prompts, --limit, --max-new, --method, --drafts, --draft-length, --query, --temperature, --seed,
/// --draft, --verify, --artifacts, --plot
void declare_grid_flags(cli::CommandOptions& command, GridFlags& flags);

/// Decodes every prompt plainly and with k drafts of w tokens for each k and w, in turns, and prints
/// tokens per call and tokens per second.
/// @param json_path  a file for the figures; empty: none
/// @throws InputError; CheckFailed should a text differ from the plain one
void bench_grid(const cli::TargetFlags& target, const GridFlags& flags,
                const std::string& json_path);

}  // namespace outrider::calibrate
