#include "runtime/cli/decode_options.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/numbers.h"
#include "runtime/methods/method.h"
#include "runtime/tokenizer/stop_strings.h"

namespace outrider {

std::pair<Token, double> parse_bias(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto id = parse_integer(text.substr(0, equals));
  const auto bias =
      equals == std::string::npos ? std::nullopt : parse_real(text.substr(equals + 1));
  // The sampler checks ids against the vocabulary; here they only have to fit.
  if (!id || !bias || *id < 0 || *id > INT32_MAX) {
    throw InputError(fmt::format(
        "--logit-bias: expected ID=X, a token id and a number such as 2=-5, found '{}'", text));
  }
  return {static_cast<Token>(*id), *bias};
}

namespace {

/// Flags that need another one to mean anything; a config file may hold them in store.
void check_company(const DecodeOptions& options) {
  const auto needs = [&options](const char* flag, bool there, const char* needed) {
    if (options.given.count(flag) == 0 || there) return;
    throw InputError(fmt::format("--{}: only with {}", flag, needed));
  };
  needs("limit", !options.prompts.empty(), "--prompts");
  needs("turns", !options.prompts.empty(), "--prompts");
  needs("min-span", options.attribute, "--attribute");
}

/// A prompt on the command line goes before whatever a config file names.
void choose_prompt(DecodeOptions& options) {
  const auto given = [&options](const char* flag) { return options.given.count(flag) > 0; };
  if (given("prompt") || given("prompt-file") || given("prompts")) {
    if (!given("prompt")) options.prompt.reset();
    if (!given("prompt-file")) options.prompt_file.clear();
    if (!given("prompts")) options.prompts.clear();
  }
  const char* first = nullptr;
  for (const auto& [flag, there] : {std::pair{"--prompt", options.prompt.has_value()},
                                    std::pair{"--prompt-file", !options.prompt_file.empty()},
                                    std::pair{"--prompts", !options.prompts.empty()}}) {
    if (!there) continue;
    if (first != nullptr) {
      throw InputError(fmt::format("{} and {}: give only one of them", first, flag));
    }
    first = flag;
  }
}

}  // namespace

void settle(DecodeOptions& options) {
  if (options.model.empty()) throw InputError("--model: expected a file, found an empty name");
  options.sampler.logit_bias.clear();
  for (const std::string& text : options.logit_bias) {
    options.sampler.logit_bias.push_back(parse_bias(text));
  }
  (void)text::StopStrings(options.stops);  // refuses what cannot be a stop string
  choose_prompt(options);
  check_company(options);
  check_method_flags(options);
}

inference::TargetOptions target_options(const DecodeOptions& options) {
  return {.model = options.model,
          .engine = engine_options(options.engine, options.quiet),
          .chat = options.chat,
          .system = options.system,
          .context = options.context};
}

inference::GenerationOptions generation_options(const DecodeOptions& options) {
  return {.max_new = options.max_new,
          .stops = options.stops,
          .prefill_chunk = options.prefill_chunk,
          .sampler = options.sampler,
          .min_span = options.min_span,
          .interrupted = interrupted};
}

}  // namespace outrider
