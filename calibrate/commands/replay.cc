#include "calibrate/commands/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"
#include "runtime/commands/context_needed.h"
#include "runtime/commands/decode_run.h"
#include "runtime/commands/dialogue.h"
#include "runtime/commands/method.h"
#include "runtime/commands/pld_plus_settings.h"
#include "runtime/commands/prompt_source.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "Calibration chooses by replaying answers. This command decodes prompts, replays what was "
    "said, "
    "and fails at the first pass that drafted or accepted another number of tokens.\n\n"
    "Examples:\n"
    "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
    "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n";

/// Replays one answer as calibration does for the method.
Replay replay_as_calibration(DecodeTarget& target, const DecodeOptions& options,
                             const Answer& answer, const ReplayLimits& limits) {
  CopyDrafting how = {.draft_length = options.draft_length.value_or(kDraftLength),
                      .branches = options.branches,
                      .lengths = options.draft_lengths};
  if (options.method == "pld-plus-h") {
    how.threshold = options.threshold.value_or(-1);
    StateSweep sweep(target.engine(),
                     {{options.layer.value(), 1, options.logit_weight.value_or(0)}},
                     options.branches);
    sweep.add(answer);
    return sweep.table().replay_last(0, how, limits);
  }
  if (options.method == "pld-plus-a") {
    const auto heads = parse_heads(options.heads);
    const HeadChoice all = {HeadChoice::kRanked, static_cast<int>(heads.size()),
                            aggregation_of(options)};
    HeadSweep sweep(target.engine(), heads, {all}, options.branches);
    sweep.add(answer);
    return sweep.table().replay_last(0, how, limits);
  }
  return replay(answer, make_drafter(options).get(), limits);
}

/// @throws CheckFailed naming the first pass that differs
void compare(const std::string& prompt, const std::vector<decode::PassDraft>& decoded,
             const std::vector<decode::PassDraft>& replayed) {
  for (std::size_t i = 0; i < std::max(decoded.size(), replayed.size()); ++i) {
    const auto text = [i](const std::vector<decode::PassDraft>& passes) {
      if (i >= passes.size()) return std::string("no such pass");
      return fmt::format("{} drafted, {} accepted", passes[i].drafted, passes[i].accepted);
    };
    if (text(decoded) != text(replayed))
      throw CheckFailed(
          fmt::format("replay: prompt '{}', pass {}: {} in decoding, {} in the replay", prompt,
                      i + 1, text(decoded), text(replayed)));
  }
}

void run_replay(DecodeOptions options) {
  settle(options);
  const std::vector<text::PromptRecord> prompts = read_prompts(options);
  DecodeTarget target(options);
  settle_method(options, target.model(), target.engine());
  for (const text::PromptRecord& prompt : prompts) check_fits(target, options, prompt);
  catch_interrupts();
  Progress progress("texts", std::ssize(prompts), options.quiet);
  std::int64_t done = 0;
  Replay all;
  for (const text::PromptRecord& prompt : prompts) {
    DecodeRun run(target, options, context_needed(target, options, prompt), false);
    const DecodedText text =
        run.decode({prompt.id, prompt.task}, Dialogue(target, options.system).ask(prompt.turns[0]));
    if (interrupted()) throw Interrupted();
    Answer answer{prompt.id, prompt.task, text.prompt_tokens,
                  static_cast<int>(text.prompt_tokens.size())};
    answer.text.insert(answer.text.end(), text.result.tokens.begin(), text.result.tokens.end());
    const Replay replayed =
        replay_as_calibration(target, options, answer, {options.max_new, text.context});
    compare(prompt.id, text.result.stats.by_pass, replayed.by_pass);
    all.add(replayed);
    progress.show(++done);
  }
  write_output(
      fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted: replays are as decoding, "
                  "pass by pass\n",
                  done, all.passes, all.drafted, all.accepted));
}

}  // namespace

Command add_replay(CLI::App& program) {
  auto options = std::make_shared<DecodeOptions>();
  options->prompts = kShippedPrompts;
  CommandOptions command(program, "replay",
                         "Decode prompts and see that replays of the answers are the same passes");
  command.footer(kExamples);
  declare_model_flag(command, options->model);
  command.add_option("--prompts", options->prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
  command.add_option("--limit", options->limit, "Records of --prompts to decode; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()));
  declare_chat_flags(command, *options);
  command.group("Length");
  declare_length_flags(command, *options);
  command.group("Method");
  command.add_option("--method", options->method, method_help()).check(one_of(method_names()));
  declare_drafter_flags(command, *options);
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, *options);
  declare_sampler_flags(command, *options);
  declare_machine_flags(command, *options);
  command.group("Options");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options, command] {
            options->given = command.given();
            run_replay(*options);
          }};
}

}  // namespace outrider::calibrate
