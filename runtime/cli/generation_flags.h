#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/notices.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/target_flags.h"
#include "runtime/grammar/answer_format.h"
#include "runtime/inference/generation.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::cli {

class CommandOptions;

/// Settings of generation, from flags.
struct GenerationFlags {
  int max_new = 256;
  std::vector<std::string> stops;
  int prefill_chunk = 64;
  sampling::SamplerOptions sampler;
  bool says_sampling = false;           // a flag or a config file says how tokens are chosen
  std::vector<std::string> logit_bias;  // "ID=X", as given; not yet in `sampler`
  bool json_object = false;
  std::string json_schema;  // file
};

/// --max-new; --temperature; --seed
void declare_max_new_flag(CommandOptions& command, GenerationFlags& flags);
void declare_temperature_flag(CommandOptions& command, GenerationFlags& flags);
void declare_seed_flag(CommandOptions& command, GenerationFlags& flags);
/// --max-new, --ctx
void declare_length_flags(CommandOptions& command, GenerationFlags& flags, TargetFlags& target);
/// The flags that determine the text, except the temperature; the last is --seed.
void declare_sampler_flags(CommandOptions& command, GenerationFlags& flags);
/// --json-object, --json-schema
void declare_format_flags(CommandOptions& command, GenerationFlags& flags);
/// --device, --threads, --numerics, --quantise, --kv and --isa, in a group of the help
void declare_machine_flags(CommandOptions& command, EngineFlags& engine);
/// These and --prefill-chunk
void declare_machine_flags(CommandOptions& command, EngineFlags& engine, int& prefill_chunk);

/// Where neither a flag nor a config file says how tokens are chosen, they are as the model's files say, if they do: see model::own_sampling.
/// @param model  as load_model takes it
/// @throws InputError as model::own_sampling
void take_own_sampling(GenerationFlags& flags, const std::string& model, const Notices& notices);

/// The sampler's options with the parsed biases.
/// @throws InputError for an invalid bias or stop string
inference::GenerationOptions generation_options(const GenerationFlags& flags);

/// What texts have to be, with the schema read.
/// @throws InputError for a file that cannot be read, or both flags
grammar::AnswerFormat answer_format(const GenerationFlags& flags);

}  // namespace outrider::cli
