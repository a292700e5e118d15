#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/cli/engine_flags.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::draft {
class DraftLengths;
struct NgramTables;
}  // namespace outrider::draft

namespace outrider {

/// Tokens of a draft, and drafts at once, where neither a flag nor a calibration says more.
constexpr int kDraftLength = 10;
constexpr int kDrafts = 10;

/// What `runtime decode` takes. Each initial value is the default that the help and
/// configs/decode.toml show.
struct DecodeOptions {
  std::string model;
  std::string method = "pld";  // the fastest that needs nothing but the model

  std::optional<std::string> prompt;  // "-": standard input
  std::string prompt_file;            // one text
  std::string prompts;                // JSON lines
  int limit = 0;                      // records of `prompts`; 0: all
  std::string turns = "first";        // of each record: first or all
  int samples = 1;

  std::string chat = "auto";
  std::optional<std::string> system;  // nothing: the chat format's own; empty: none
  int max_new = 256;
  int context = 0;  // 0: what prompt and max_new need, at most the model's
  std::vector<std::string> stops;

  EngineFlags engine;
  int prefill_chunk = 64;
  std::string artifacts;      // a file or a folder of them; empty: those of checkpoints/
  std::string artifact_read;  // the file that the method was settled with

  bool attribute = false;
  int min_span = 5;  // tokens of the shortest copy that is attributed

  std::string json;  // "-": standard output
  bool check = false;
  bool quiet = false;

  sampling::SamplerOptions sampler;
  std::vector<std::string> logit_bias;  // "ID=X", as written
  // Of the drafters; each uses some.
  std::optional<int> draft_length;  // 0: one for each step
  int ngram = 3;
  int query = 1;
  std::optional<int> drafts;
  bool rows = false;  // drafts one by one, not merged
  std::optional<int> layer;
  std::optional<double> threshold;
  std::optional<double> logit_weight;
  std::string heads;        // "LAYER:HEAD,…"
  std::string aggregation;  // "max", "sum"
  int branches = 1;         // of a copied draft

  std::shared_ptr<const draft::NgramTables> ngram_tables;    // of the model; settle_ngrams
  std::shared_ptr<const draft::DraftLengths> draft_lengths;  // for each step; settle_pld_plus_*

  std::set<std::string> given;  // long names of the flags on the command line
};

/// Declares the flags of `runtime decode`.
void declare_flags(CommandOptions& command, DecodeOptions& options);

// Groups of them that other programs have as well.

/// --chat, --system
void declare_chat_flags(CommandOptions& command, DecodeOptions& options);
/// What drafters take: --draft-length to --artifacts
void declare_drafter_flags(CommandOptions& command, DecodeOptions& options);
/// --max-new; --temperature; --seed
void declare_max_new_flag(CommandOptions& command, DecodeOptions& options);
void declare_temperature_flag(CommandOptions& command, DecodeOptions& options);
void declare_seed_flag(CommandOptions& command, DecodeOptions& options);
/// --max-new, --ctx
void declare_length_flags(CommandOptions& command, DecodeOptions& options);
/// What decides the text but for the temperature, down to --seed.
void declare_sampler_flags(CommandOptions& command, DecodeOptions& options);
/// --threads, --numerics, --quantise, --isa, --prefill-chunk, in a help group of their own
void declare_machine_flags(CommandOptions& command, DecodeOptions& options);

/// Reads `logit_bias` into `sampler`, and refuses combinations that cannot be meant.
/// @throws InputError naming the flags
void settle(DecodeOptions& options);

/// Of settled options.
inference::TargetOptions target_options(const DecodeOptions& options);
inference::GenerationOptions generation_options(const DecodeOptions& options);

/// A token id and what is added to its logit, from "ID=X".
/// @throws InputError
std::pair<Token, double> parse_bias(const std::string& text);

}  // namespace outrider
