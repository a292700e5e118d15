#include "runtime/commands/decode.h"

#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/cli/prompt_source.h"
#include "runtime/commands/conversation.h"
#include "runtime/commands/decode_prompts.h"
#include "runtime/methods/method.h"

namespace outrider {
namespace {

constexpr const char* kDecodeExamples =
    "Without a prompt on a terminal it is a conversation.\n\n"
    "Examples:\n"
    "  runtime decode -m MODEL.gguf -p 'Why is the sky blue?'\n"
    "  runtime decode -m MODEL.gguf -p - < question.txt\n"
    "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --check --json texts.jsonl\n"
    "  runtime decode -m MODEL.gguf --config configs/decode.toml --temperature 0.8 --samples 3\n";

/// Colours need a terminal, and records a file.
void check_shows_attribution(const DecodeOptions& options) {
  if (options.given.count("attribute") == 0 || !options.json.empty()) return;
  if (::isatty(STDOUT_FILENO) == 0)
    throw InputError(
        "--attribute: expected --json FILE, or a terminal as standard output for its colours");
}

/// A conversation needs somebody to talk to, and gives no records.
void check_can_converse(const DecodeOptions& options) {
  if (::isatty(STDIN_FILENO) == 0) {
    throw InputError(
        "no prompt: expected --prompt TEXT, --prompt-file FILE or --prompts FILE (a conversation "
        "needs a terminal; -p - reads the prompt from standard input)");
  }
  for (const char* flag : {"json", "check", "samples"}) {
    if (options.given.count(flag) == 0) continue;
    throw InputError(fmt::format("--{}: not in a conversation; give a prompt", flag));
  }
}

}  // namespace

Command add_decode(CLI::App& program) {
  auto options = std::make_shared<DecodeOptions>();
  CommandOptions command(program, "decode", "Continue prompts, or hold a conversation");
  declare_flags(command, *options);
  command.footer(kDecodeExamples);
  return {command, [options, command] {
            options->given = command.given();
            run_decode(*options);
          }};
}

void run_decode(DecodeOptions options) {
  settle(options);
  check_shows_attribution(options);
  const std::vector<text::PromptRecord> prompts = read_prompts(options);
  if (prompts.empty()) check_can_converse(options);
  inference::Target target(target_options(options));
  settle_method(options, target.model(), target.engine());
  catch_interrupts();
  if (prompts.empty()) {
    converse(target, options);
  } else {
    decode_prompts(target, options, prompts);
  }
}

}  // namespace outrider
