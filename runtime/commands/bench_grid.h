#pragma once

#include <string>
#include <vector>

#include "runtime/cli/decode_options.h"

namespace outrider {

/// What `runtime bench --grid` takes.
struct GridOptions {
  DecodeOptions decode;
  std::vector<std::string> drafts, draft_lengths;  // as written; empty: the usual ones
  std::string json, plot;

  GridOptions();
};

/// --prompts, --limit, --max-new, --method, --drafts, --draft-length, --query, --temperature, --seed,
/// --artifacts, --plot
void declare_grid_flags(CommandOptions& command, GridOptions& options);

/// Decodes every prompt plainly and with k drafts of w tokens for each k and w, in turns, and prints
/// tokens per call and tokens per second.
/// @throws InputError; CheckFailed should a text differ from the plain one
void bench_grid(GridOptions options);

}  // namespace outrider
