#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "data/generate/recipe.h"
#include "data/store/recorded_answers.h"
#include "data/store/shard_plan.h"
#include "runtime/cli/generation_flags.h"

namespace outrider::data {

/// The options of `data traces`. The initial values are the defaults in the help and in
/// configs/traces.toml.
struct TraceOptions {
  cli::TargetFlags target;
  cli::GenerationFlags generation;
  std::string turns = "all";  // of each prompt: first or all
  int samples = 1;
  Recipe recipe;                          // resolved from all of these
  std::vector<std::string> temperatures;  // as given; none: the sampler's
  std::string teacher = "own";            // or reference
  std::vector<std::string> layers;        // as given: numbers, or "final"

  std::vector<std::string> prompts;
  std::string format = "jsonl";
  int limit = 0;  // records; 0: all
  bool skip_long = false;
  bool skip_refused = false;
  std::string answers;                      // a file of given answers; empty: none
  std::optional<RecordedAnswers> recorded;  // what it has
  bool skip_changed = false;                // those to other prompts

  std::string out;
  std::string add_to;                      // a finished store, in place of prompts and out
  std::string draft;                       // the draft model for it; empty: the artifacts'
  std::optional<int> draft_vocab;          // of one from a file: methods::trim_to_drafts
  std::string store = "tokens";            // or features
  std::string budget;                      // as given; empty: none
  std::optional<std::int64_t> most_bytes;  // the same in bytes
  bool fit = false;
  std::string shard = "1/1";
  int batch = 0;  // 0: chosen for the machine

  std::string json;  // of the summary
  bool quiet = false;

  std::set<std::string> given;  // long names of the flags on the command line
};

/// Declares the flags of `data traces`.
void declare_flags(cli::CommandOptions& command, TraceOptions& options);

/// Completes the recipe, and rejects contradictory combinations.
/// @throws InputError naming the flags
void resolve(TraceOptions& options);

/// The target's options: those of the flags, or where answers are given those that these were made with, on the machine of
/// the flags.
inference::TargetOptions target_of(const TraceOptions& options);

/// The part of a store that --shard names, which is told unless `quiet`.
/// @param folder  of the store or group, which keeps the number of parts that it was begun with
/// @throws InputError naming the flag or the launcher's variables
void take_share(const TraceOptions& options, const std::filesystem::path& folder, ShardPlan& plan);

}  // namespace outrider::data
