#include <fmt/core.h>

#include <limits>
#include <string>
#include <vector>

#include "runtime/chat/chat_layout.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/decode_options.h"
#include "runtime/draft/copy/pld_plus_layer.h"
#include "runtime/methods/method.h"

namespace outrider {
namespace {

constexpr std::int64_t kMaxTokens = 1 << 24;

void declare_prompt_flags(CommandOptions& command, DecodeOptions& options) {
  command.group("Prompt");
  command.add_option("-p,--prompt", options.prompt, "The prompt; - reads standard input");
  command.add_option("--prompt-file", options.prompt_file, "Read the prompt from a file")
      .type_name("FILE");
  command.add_option("--prompts", options.prompts, "Decode every record of a JSON lines file")
      .type_name("FILE");
  command.add_option("--limit", options.limit, "Records of --prompts to decode; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()));
  command.add_option("--turns", options.turns, "Turns of a record: first, or all in a row")
      .check(one_of({"first", "all"}));
  command.add_option("--samples", options.samples, "Texts to make for each prompt")
      .check(whole_number(1, 1'000'000));
  declare_chat_flags(command, options);
}

void declare_method_flags(CommandOptions& command, DecodeOptions& options) {
  command.group("Method");
  command.add_option("--method", options.method, method_help()).check(one_of(method_names()));
  declare_drafter_flags(command, options);
  command.add_flag("--check", options.check,
                   "Decode plainly too, apart and untimed, and fail if a token differs");
  command.add_flag(
      "--attribute", options.attribute,
      "Say where in the prompt the text was copied from: in the records of --json, and "
      "in colours on a terminal");
  command
      .add_option("--min-span", options.min_span, "--attribute: tokens of the shortest copy shown")
      .check(whole_number(1, kMaxTokens));
}

}  // namespace

void declare_drafter_flags(CommandOptions& command, DecodeOptions& options) {
  command.add_option("--ngram", options.ngram, "pld: longest n-gram looked up")
      .check(whole_number(1, 64));
  command
      .add_option(
          "--draft-length", options.draft_length,
          "Tokens of a draft; 0: at each step as many as pay there (pld-plus-h, pld-plus-a, "
          "as calibrated); without this flag what calibration found, or 10")
      .check(whole_number(0, 256));
  command.add_option("--query", options.query, "context-ngram, ngrammys: tokens looked up")
      .check(whole_number(1, 64));
  command
      .add_option(
          "--drafts", options.drafts,
          "Drafts at once, as one tree; without this flag ngrammys, bigram and unigram take what "
          "`calibrate ngrams` found to be the fastest here, and 10 otherwise")
      .check(whole_number(1, 64));
  command.add_flag("--rows", options.rows,
                   "Drafts as rows that share nothing but the root, for comparison");
  command
      .add_option("--layer", options.layer,
                  "pld-plus-h: the layer whose hidden states are compared; 0: the embedding; "
                  "without this flag the artifact's")
      .check(whole_number(0, 9999));
  command
      .add_option("--threshold", options.threshold,
                  "pld-plus-h: no draft below this cosine; -1: none is too low; without this flag "
                  "the artifact's, with its layer, or none")
      .check(real_number(-1, 1));
  command
      .add_option(
          "--logit-weight", options.logit_weight,
          "pld-plus-h: added to a place's cosine, times the logit that the row before the last "
          "token gave to the first token copied, where places are compared; 0: the cosine "
          "alone, as published; without this flag the artifact's, with its layer, or 0")
      .check(real_number(0, draft::kMostLogitWeight));
  command
      .add_option(
          "--heads", options.heads,
          "pld-plus-a: the heads whose attention is followed, or how many of the artifact's; "
          "without this flag those it chose")
      .type_name("LAYER:HEAD,...");
  command
      .add_option("--aggregation", options.aggregation,
                  "pld-plus-a: of the heads' attention: max or sum; without this flag the "
                  "artifact's, or max")
      .check(one_of({"max", "sum"}));
  command
      .add_option("--branches", options.branches,
                  "pld-plus-h, pld-plus-a: places to copy from at once, as one tree, where they "
                  "disagree on the next token; more than one makes more tokens per pass and, as "
                  "far as measured, fewer per second (checkpoints/README.md)")
      .check(whole_number(1, 64));
  command
      .add_option("--artifacts", options.artifacts,
                  "What calibration made, a file or a folder of them; what it lacks, and without "
                  "this flag all, "
                  "comes from the files in checkpoints/ that were made for the model")
      .type_name("FILE");
}

void declare_chat_flags(CommandOptions& command, DecodeOptions& options) {
  std::vector<std::string> formats = {"auto"};
  for (const text::ChatLayout& layout : text::chat_layouts()) formats.push_back(layout.name);
  command
      .add_option("--chat", options.chat,
                  fmt::format("Chat format: auto (the model's own), {}", text::layout_names()))
      .check(one_of(formats));
  command.add_option("--system", options.system,
                     "System message; '' for none; without this flag the chat format's own");
}

void declare_max_new_flag(CommandOptions& command, DecodeOptions& options) {
  command.add_option("-n,--max-new", options.max_new, "Tokens to make at most")
      .check(whole_number(1, kMaxTokens));
}

void declare_temperature_flag(CommandOptions& command, DecodeOptions& options) {
  command.add_option("--temperature", options.sampler.temperature, "0: always the likeliest token")
      .check(real_number(0, 100));
}

void declare_seed_flag(CommandOptions& command, DecodeOptions& options) {
  command.add_option("--seed", options.sampler.seed, "Of the noise at temperatures above 0")
      .check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

void declare_length_flags(CommandOptions& command, DecodeOptions& options) {
  declare_max_new_flag(command, options);
  command
      .add_option("-c,--ctx", options.context,
                  "Context in tokens; 0: what prompt and --max-new need, up to the model's")
      .check(whole_number(0, kMaxTokens));
}

void declare_sampler_flags(CommandOptions& command, DecodeOptions& options) {
  sampling::SamplerOptions& sampler = options.sampler;
  command.add_option("--top-k", sampler.top_k, "Keep the k likeliest tokens; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()));
  command.add_option("--top-p", sampler.top_p, "Keep the likeliest with this probability in sum")
      .check(real_number(0, 1));
  command.add_option("--min-p", sampler.min_p, "Keep those with this share of the likeliest's")
      .check(real_number(0, 1));
  command
      .add_option("--repetition-penalty", sampler.repetition_penalty,
                  "Of tokens in prompt or text; 1: none")
      .check(real_number(0.01, 100));
  command.add_option("--presence-penalty", sampler.presence_penalty, "Of tokens in the text, once")
      .check(real_number(-100, 100));
  command
      .add_option("--frequency-penalty", sampler.frequency_penalty,
                  "Of tokens in the text, each time")
      .check(real_number(-100, 100));
  command.add_list("--logit-bias", options.logit_bias, "Add X to the logit of token ID")
      .type_name("ID=X");
  declare_seed_flag(command, options);
}

void declare_machine_flags(CommandOptions& command, DecodeOptions& options) {
  command.group("Machine");
  declare_threads_flag(command, options.engine);
  declare_numerics_flags(command, options.engine);
  declare_isa_flag(command, options.engine);
  command.add_option("--prefill-chunk", options.prefill_chunk, "Prompt tokens in one pass")
      .check(whole_number(1, 4096));
}

void declare_flags(CommandOptions& command, DecodeOptions& options) {
  declare_model_flag(command, options.model);
  declare_prompt_flags(command, options);
  command.group("Length");
  declare_length_flags(command, options);
  command.add_list("--stop", options.stops, "End the text before any of these; may be repeated");
  declare_method_flags(command, options);
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, options);
  declare_sampler_flags(command, options);
  declare_machine_flags(command, options);
  command.group("Output");
  command
      .add_option("--json", options.json,
                  "Write one object a text, replacing the file; -: to standard output")
      .type_name("FILE");
  command.add_flag("--quiet", options.quiet, "No figures and no headings on standard error");
  command.group("Options");
}

}  // namespace outrider
