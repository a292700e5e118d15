#include "runtime/cli/generation_flags.h"

#include <fmt/core.h>

#include <limits>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/interrupt.h"
#include "runtime/inference/logit_bias.h"
#include "runtime/model/own_sampling.h"
#include "runtime/tokenizer/stop_strings.h"

namespace outrider::cli {
namespace {

/// Each takes the model's own sampling away.
std::string named(const model::OwnSampling& own) {
  std::string text = fmt::format("temperature {}", own.temperature);
  if (own.top_k > 0) text += fmt::format(", top-k {}", own.top_k);
  if (own.top_p < 1) text += fmt::format(", top-p {}", own.top_p);
  if (own.min_p > 0) text += fmt::format(", min-p {}", own.min_p);
  if (own.repetition_penalty != 1)
    text += fmt::format(", repetition penalty {}", own.repetition_penalty);
  return text;
}

}  // namespace

void declare_max_new_flag(CommandOptions& command, GenerationFlags& flags) {
  command.add_option("-n,--max-new", flags.max_new, "Most tokens to generate")
      .check(whole_number(1, kMostTokens));
}

void declare_temperature_flag(CommandOptions& command, GenerationFlags& flags) {
  command.add_option("--temperature", flags.sampler.temperature, "0: always the likeliest token")
      .check(real_number(0, 100))
      .tells(flags.says_sampling);
}

void declare_seed_flag(CommandOptions& command, GenerationFlags& flags) {
  command.add_option("--seed", flags.sampler.seed, "Seed of sampling at temperatures above 0")
      .check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

void declare_length_flags(CommandOptions& command, GenerationFlags& flags, TargetFlags& target) {
  declare_max_new_flag(command, flags);
  declare_context_flag(command, target.context, "prompt and --max-new, up to the model's");
}

void declare_sampler_flags(CommandOptions& command, GenerationFlags& flags) {
  sampling::SamplerOptions& sampler = flags.sampler;
  command.add_option("--top-k", sampler.top_k, "Keep the k likeliest tokens; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()))
      .tells(flags.says_sampling)
      .rare();
  command
      .add_option("--top-p", sampler.top_p,
                  "Keep the likeliest tokens whose probabilities sum to this")
      .check(real_number(0, 1))
      .tells(flags.says_sampling)
      .brief("Keep the likeliest tokens of this probability");
  command
      .add_option("--min-p", sampler.min_p,
                  "Keep tokens with this share of the largest probability")
      .check(real_number(0, 1))
      .tells(flags.says_sampling)
      .rare();
  command
      .add_option("--repetition-penalty", sampler.repetition_penalty,
                  "Penalty of tokens in prompt or text; 1: none")
      .check(real_number(0.01, 100))
      .tells(flags.says_sampling)
      .rare();
  command
      .add_option("--presence-penalty", sampler.presence_penalty,
                  "Penalty of tokens in the text, once")
      .check(real_number(-100, 100))
      .tells(flags.says_sampling)
      .rare();
  command
      .add_option("--frequency-penalty", sampler.frequency_penalty,
                  "Penalty of tokens in the text, each time")
      .check(real_number(-100, 100))
      .tells(flags.says_sampling)
      .rare();
  command.add_list("--logit-bias", flags.logit_bias, "Add X to the logit of token ID")
      .type_name("ID=X")
      .rare();
  declare_seed_flag(command, flags);
}

void declare_format_flags(CommandOptions& command, GenerationFlags& flags) {
  command
      .add_option("--json-schema", flags.json_schema,
                  "Only texts that are JSON of this schema, on one line")
      .type_name("FILE")
      .reads()
      .brief("Only JSON that this schema describes");
  command
      .add_flag("--json-object", flags.json_object,
                "Only texts that are a JSON object, on one line")
      .rare();
}

grammar::AnswerFormat answer_format(const GenerationFlags& flags) {
  using Kind = grammar::AnswerFormat::Kind;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (flags.json_schema.empty())
    return {.kind = flags.json_object ? Kind::kJsonObject : Kind::kText};
  if (flags.json_object)
    throw InputError("--json-object: not with --json-schema, which says what object");
  return {.kind = Kind::kJsonSchema, .schema = read_text_file(flags.json_schema, kMostBytes)};
}

void declare_machine_flags(CommandOptions& command, EngineFlags& engine) {
  command.group("Machine");
  declare_device_flag(command, engine);
  declare_threads_flag(command, engine);
  declare_numerics_flags(command, engine);
  declare_isa_flag(command, engine);
}

void declare_machine_flags(CommandOptions& command, EngineFlags& engine, int& prefill_chunk) {
  declare_machine_flags(command, engine);
  command.add_option("--prefill-chunk", prefill_chunk, "Prompt tokens in one pass")
      .check(whole_number(1, 4096))
      .rare();
}

void take_own_sampling(GenerationFlags& flags, const std::string& model, const Notices& notices) {
  if (flags.says_sampling) return;
  const auto own = model::own_sampling(model);
  if (!own) return;
  flags.sampler.temperature = own->temperature;
  flags.sampler.top_k = own->top_k;
  flags.sampler.top_p = own->top_p;
  flags.sampler.min_p = own->min_p;
  flags.sampler.repetition_penalty = own->repetition_penalty;
  if (notices.inform)
    notices.inform(fmt::format("sampling as {} says: {} (--temperature 0: the likeliest tokens)",
                               own->file, named(*own)));
  if (!notices.warn) return;
  for (const std::string& key : own->left_out)
    notices.warn(
        fmt::format("{}: '{}' is not implemented, and has no effect here", own->file, key));
}

inference::GenerationOptions generation_options(const GenerationFlags& flags) {
  inference::GenerationOptions options;
  options.max_new = flags.max_new;
  options.stops = flags.stops;
  options.prefill_chunk = flags.prefill_chunk;
  options.sampler = flags.sampler;
  for (const std::string& text : flags.logit_bias)
    options.sampler.logit_bias.push_back(inference::parse_bias(text));
  options.interrupted = interrupted;
  (void)text::StopStrings(options.stops);  // rejects invalid stop strings
  return options;
}

}  // namespace outrider::cli
