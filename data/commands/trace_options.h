#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/generate/recipe.h"
#include "data/store/shard_plan.h"
#include "runtime/cli/decode_options.h"

namespace outrider::data {

/// What `data traces` takes. Each initial value is the default that the help and
/// configs/traces.toml show.
struct TraceOptions {
  /// The target and its sampler, --max-new, --turns and --samples.
  DecodeOptions decode;
  Recipe recipe;                          // resolved from all of these
  std::vector<std::string> temperatures;  // as written; none: 0
  std::string teacher = "own";            // or reference
  std::vector<std::string> layers;        // as written: numbers, or "final"

  std::vector<std::string> prompts;
  std::string format = "jsonl";
  int limit = 0;  // records; 0: all
  bool skip_long = false;

  std::string out;
  std::string store = "tokens";  // or features
  std::string budget;            // as written; empty: none
  bool fit = false;
  std::string shard = "1/1";
  int batch = 0;  // 0: chosen for the machine

  TraceOptions() { decode.turns = "all"; }
};

/// Declares the flags of `data traces`.
void declare_flags(CommandOptions& command, TraceOptions& options);

/// Reads what is given as text into the recipe, and refuses combinations that cannot be meant.
/// @throws InputError naming the flags
void settle(TraceOptions& options);

/// Part and parts of "i/n". @throws InputError
void read_shard(const std::string& text, ShardPlan& plan);

}  // namespace outrider::data
