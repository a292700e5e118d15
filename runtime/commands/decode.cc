#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/commands/commands.h"
#include "runtime/commands/decode_flags.h"
#include "runtime/commands/decode_prompts.h"
#include "runtime/commands/terminal.h"
#include "runtime/commands/terminal_conversation.h"
#include "runtime/inference/context_needed.h"
#include "runtime/session/session.h"

namespace outrider {
namespace {

constexpr const char* kDecodeExamples =
    "Without a prompt on a terminal it is a conversation.\n\n"
    "Examples:\n"
    "  runtime decode -m MODEL.gguf -p 'Why is the sky blue?'\n"
    "  runtime decode -m MODEL.gguf -p - < question.txt\n"
    "  runtime decode -m MODEL.gguf --prompts P.jsonl --check --json texts.jsonl\n"
    "  runtime decode -m MODEL.gguf --prompts P.jsonl --sequences 8 --json texts.jsonl\n"
    "  runtime decode -m MODEL.gguf --config configs/decode.toml -p 'Hello'\n";

/// Colours need a terminal, records a file.
void check_attribution_flags(const DecodeFlags& flags) {
  flags.method.check_copies(flags.given, {"attribute", "min-span"});
  if (flags.given.count("attribute") == 0 || !flags.json.empty()) return;
  if (::isatty(STDOUT_FILENO) == 0)
    throw InputError(
        "--attribute: expected --json FILE, or a terminal as standard output for its colours");
}

/// A conversation needs a terminal, and writes no records.
void check_can_converse(const DecodeFlags& flags) {
  if (::isatty(STDIN_FILENO) == 0) {
    throw InputError(
        "no prompt: expected --prompt TEXT, --prompt-file FILE or --prompts FILE (a conversation "
        "needs a terminal; -p - reads the prompt from standard input)");
  }
  for (const char* flag : {"json", "check", "samples", "sequences"}) {
    if (flags.given.count(flag) == 0) continue;
    throw InputError(fmt::format("--{}: not in a conversation; give a prompt", flag));
  }
}

/// What depends on the drafts cannot be compared with what has none.
void check_can_check(const DecodeFlags& flags, const methods::Method& method) {
  const double temperature = flags.generation.sampler.temperature;
  if (!flags.check || temperature == 0 || !method.capabilities().changes_text) return;
  throw InputError(
      fmt::format("--check: not with --verify rejection at temperature {}: the text then depends "
                  "on the drafts, and only its distribution is that of plain decoding; expected "
                  "temperature 0, or --verify coupled",
                  temperature));
}

void run_decode(DecodeFlags& flags) {
  const inference::TargetOptions of_target = target_options(flags.target, flags.quiet);
  const grammar::AnswerFormat format = answer_format(flags.generation);
  take_own_sampling(flags.generation, flags.target.model, of_target.notices);
  inference::GenerationOptions generation = generation_options(flags.generation);
  generation.min_span = flags.min_span;
  resolve_prompt_flags(flags.prompts, flags.given);
  const auto method = flags.method.chosen(flags.given);
  check_attribution_flags(flags);
  check_can_check(flags, *method);
  std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  std::optional<Terminal> terminal;
  if (prompts.empty()) {
    check_can_converse(flags);
    catch_interrupts();  // so that the terminal is set back, whenever the program ends
    terminal.emplace();  // before the model is loaded: somebody may be typing already
  }
  session::Session session({.target = of_target,
                            .generation = generation,
                            .format = format,
                            .method = *method,
                            .sequences = flags.sequences,
                            .folders = cli::artifact_folders(),
                            .quick_costs = cli::quick_costs(flags.costs, flags.quiet),
                            .notices = cli::notices(flags.quiet),
                            .check = [&](const inference::Target& target) {
                              if (!terminal)
                                inference::choose_prompts(target, flags.prompts.skip_refused,
                                                          prompts);
                            }});
  if (interrupted()) throw Interrupted();  // while the model was loaded
  inference::Target& target = session.target();
  const DecodeRun run = {.generation = session.generation(),
                         .method = session.method(),
                         .attributes = flags.attribute && method->capabilities().copies,
                         .all_turns = flags.prompts.all_turns(),
                         .samples = flags.prompts.samples,
                         .sequences = flags.sequences,
                         .check = flags.check,
                         .json = flags.json,
                         .quiet = flags.quiet};
  catch_interrupts();
  if (terminal) {
    converse(*terminal, target, run);
  } else {
    decode_prompts(target, run, prompts);
  }
}

}  // namespace

cli::Command add_decode(CLI::App& program) {
  auto flags = std::make_shared<DecodeFlags>();
  cli::CommandOptions command(program, "decode", "Continue prompts, or hold a conversation");
  declare_flags(command, *flags);
  command.footer(kDecodeExamples);
  return {command, [flags, command] {
            flags->given = command.given();
            run_decode(*flags);
          }};
}

}  // namespace outrider
