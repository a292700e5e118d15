#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/engine_flags.h"
#include "runtime/cli/target_flags.h"
#include "runtime/inference/generation.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::cli {

class CommandOptions;

/// How texts are generated, as flags give it.
struct GenerationFlags {
  int max_new = 256;
  std::vector<std::string> stops;
  int prefill_chunk = 64;
  sampling::SamplerOptions sampler;
  std::vector<std::string> logit_bias;  // "ID=X", as written; not in `sampler` yet
};

/// --max-new; --temperature; --seed
void declare_max_new_flag(CommandOptions& command, GenerationFlags& flags);
void declare_temperature_flag(CommandOptions& command, GenerationFlags& flags);
void declare_seed_flag(CommandOptions& command, GenerationFlags& flags);
/// --max-new, --ctx
void declare_length_flags(CommandOptions& command, GenerationFlags& flags, TargetFlags& target);
/// What decides the text but for the temperature, down to --seed.
void declare_sampler_flags(CommandOptions& command, GenerationFlags& flags);
/// --threads, --numerics, --quantise, --kv, --isa, --prefill-chunk, in a help group of their own
void declare_machine_flags(CommandOptions& command, EngineFlags& engine, int& prefill_chunk);

/// With the biases read.
/// @throws InputError for a bias, or a stop string, that cannot be one
inference::GenerationOptions generation_options(const GenerationFlags& flags);

/// A token id and what is added to its logit, from "ID=X".
/// @throws InputError
std::pair<Token, double> parse_bias(const std::string& text);

}  // namespace outrider::cli
