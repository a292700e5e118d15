#include "calibrate/commands/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/commands/answers.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/pass_records.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/prompt_source.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/method.h"
#include "runtime/methods/method_settings.h"
#include "runtime/methods/pld_plus_settings.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kReplayExamples =
    "Calibration chooses by replaying answers. This command decodes prompts, replays what was "
    "said, "
    "and fails at the first pass that drafted or accepted another number of tokens.\n"
    "With --answers it only replays texts that were decoded before, with whatever method: what "
    "--method\n"
    "would have drafted and got accepted.\n\n"
    "Examples:\n"
    "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
    "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n"
    "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --json texts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method pld-plus-h --json "
    "drafts.jsonl\n";

struct ReplayOptions {
  DecodeOptions decode;
  std::string answers;  // records of texts; empty: they are decoded here

  ReplayOptions() { decode.prompts = kShippedPrompts; }
};

/// @throws InputError naming a flag that says how to decode, given beside --answers
void check_replay_flags(const ReplayOptions& options) {
  if (options.answers.empty()) return;
  refuse_flags(
      options.decode.given,
      {"prompts", "limit", "chat", "system", "max-new", "ctx", "top-k", "top-p", "min-p",
       "repetition-penalty", "presence-penalty", "frequency-penalty", "logit-bias", "seed"},
      "not with --answers, whose texts are decoded already");
}

/// Replays one answer as calibration does for the method.
Replay replay_as_calibration(inference::Target& target, const DecodeOptions& options,
                             const Answer& answer) {
  CopyDrafting how = {.draft_length = options.draft_length.value_or(kDraftLength),
                      .branches = options.branches,
                      .lengths = options.draft_lengths};
  if (options.method == "pld-plus-h") {
    how.threshold = options.threshold.value_or(-1);
    StateSweep sweep(target.engine(),
                     {{options.layer.value(), 1, options.logit_weight.value_or(0)}},
                     options.branches);
    sweep.add(answer);
    return sweep.table().replay_last(0, how);
  }
  if (options.method == "pld-plus-a") {
    const auto heads = parse_heads(options.heads);
    const HeadChoice all = {HeadChoice::kRanked, static_cast<int>(heads.size()),
                            aggregation_of(options)};
    HeadSweep sweep(target.engine(), heads, {all}, options.branches);
    sweep.add(answer);
    return sweep.table().replay_last(0, how);
  }
  return replay(answer, make_drafter(options).get());
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

/// Says how a text was replayed.
std::string record_of(const Answer& answer, const Replay& replayed, const DecodeOptions& options) {
  using Json = nlohmann::ordered_json;
  Json settings = {{"max_new", answer.max_new.value()},
                   {"context", answer.context.value()},
                   {"temperature", options.sampler.temperature}};
  settings.update(method_settings(options));
  const Json record = {{"id", answer.id},
                       {"task", answer.task},
                       {"method", options.method},
                       {"settings", settings},
                       {"passes", replayed.passes},
                       {"drafted", replayed.drafted},
                       {"accepted", replayed.accepted},
                       {"drafts", drafts_by_pass(replayed.by_pass)},
                       {"tokens_per_pass", replayed.tokens_per_pass()}};
  // A name from a file need not be UTF-8.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Replays texts, one after the other.
class Replays {
 public:
  Replays(inference::Target& target, const DecodeOptions& options)
      : target_(target), options_(options), records_("--json", options.json) {}

  Replay replay(const Answer& answer) {
    const Replay replayed = replay_as_calibration(target_, options_, answer);
    records_.write(record_of(answer, replayed, options_));
    all_.add(replayed);
    ++texts_;
    return replayed;
  }

  /// @param found  what was seen beside
  void write_summary(const std::string& found) const {
    if (options_.json == "-") return;
    write_output(fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted{}\n", texts_,
                             all_.passes, all_.drafted, all_.accepted, found));
  }

 private:
  inference::Target& target_;
  const DecodeOptions& options_;
  RecordFile records_;
  Replay all_;
  std::int64_t texts_ = 0;
};

/// Texts that were decoded before.
void replay_given(inference::Target& target, const ReplayOptions& options) {
  const model::ModelConfig& config = target.model().config;
  const auto answers = read_decoded_answers(options.answers, config.vocab, config.context);
  Replays replays(target, options.decode);
  Progress progress("texts", std::ssize(answers), options.decode.quiet);
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    replays.replay(answer);
    if (interrupted()) throw Interrupted();
    progress.show(++done);
  }
  replays.write_summary("");
}

/// Decodes texts first, and compares.
void decode_and_replay(inference::Target& target, const DecodeOptions& options) {
  const std::vector<text::PromptRecord> prompts = read_prompts(options);
  for (const text::PromptRecord& prompt : prompts) inference::check_fits(target, prompt);
  const inference::GenerationOptions how = generation_options(options);
  Replays replays(target, options);
  Progress progress("texts", std::ssize(prompts), options.quiet);
  std::int64_t done = 0;
  for (const text::PromptRecord& prompt : prompts) {
    inference::Generation generation(target, how,
                                     inference::context_needed(target, prompt, options.max_new),
                                     make_drafter(options));
    const inference::GeneratedText text = generation.generate(
        {prompt.id, prompt.task}, inference::Dialogue(target).ask(prompt.turns[0]));
    if (interrupted()) throw Interrupted();
    const Replay replayed = replays.replay(answer_of(text, how));
    compare(prompt.id, text.result.stats.by_pass, replayed.by_pass);
    progress.show(++done);
  }
  replays.write_summary(": replays are as decoding, pass by pass");
}

void run_replay(ReplayOptions options) {
  check_replay_flags(options);
  settle(options.decode);
  inference::Target target(target_options(options.decode));
  settle_method(options.decode, target.model(), target.engine());
  catch_interrupts();
  if (options.answers.empty())
    decode_and_replay(target, options.decode);
  else
    replay_given(target, options);
}

}  // namespace

Command add_replay(CLI::App& program) {
  auto options = std::make_shared<ReplayOptions>();
  DecodeOptions& decode = options->decode;
  CommandOptions command(program, "replay",
                         "Decode prompts and see that replays of the answers are the same passes");
  command.footer(kReplayExamples);
  declare_model_flag(command, decode.model);
  command.add_option("--prompts", decode.prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
  command.add_option("--limit", decode.limit, "Records of --prompts to decode; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()));
  command
      .add_option("--answers", options->answers,
                  "Replay these texts, records of `runtime decode --json`, and decode nothing")
      .type_name("FILE");
  declare_chat_flags(command, decode);
  command.group("Length");
  declare_length_flags(command, decode);
  command.group("Method");
  command.add_option("--method", decode.method, method_help()).check(one_of(method_names()));
  declare_drafter_flags(command, decode);
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, decode);
  declare_sampler_flags(command, decode);
  declare_machine_flags(command, decode);
  command.group("Options");
  command
      .add_option("--json", decode.json,
                  "Write how each text was replayed, replacing the file; -: to standard output")
      .type_name("FILE");
  command.add_flag("--quiet", decode.quiet, "No progress on standard error");
  return {command, [options, command] {
            options->decode.given = command.given();
            run_replay(*options);
          }};
}

}  // namespace outrider::calibrate
