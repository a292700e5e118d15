#include "calibrate/commands/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/recorded_replays.h"
#include "calibrate/replay/recorded_states.h"
#include "calibrate/replay/replay.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/cli/cost_flags.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/notices.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kReplayExamples =
    "Calibration chooses by replaying answers. This command decodes prompts, replays the answers, "
    "and\n"
    "fails at the first pass that drafted or accepted another number of tokens. With --answers or "
    "--data\n"
    "it only replays texts that were decoded before, with any method: what --method would "
    "have drafted\n"
    "and have accepted.\n\n"
    "Examples:\n"
    "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
    "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n"
    "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --json texts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method pld-plus-h --json "
    "drafts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --data traces --method pld-plus-h --layer 9\n";

struct ReplayOptions {
  cli::TargetFlags target;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"pld"};
  cli::CostFlags costs;
  // What to replay; all empty: texts that this run decodes.
  std::string answers;  // records of texts
  std::string data;     // a trace store
  std::string json;
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line

  ReplayOptions() { prompts.prompts = cli::kShippedPrompts; }
};

/// The objects that replays need.
class ReplaySetup {
 public:
  ReplaySetup(inference::Target& of_target, const ReplayOptions& of_options)
      : target(of_target),
        options(of_options),
        method_(of_options.method.chosen(of_options.given)),
        costs_(cli::quick_costs(of_options.costs, of_options.quiet)) {}

  /// The method with its settings for a temperature.
  const methods::PreparedMethod& method(double temperature) {
    auto found = prepared_.find(temperature);
    if (found == prepared_.end())
      found =
          prepared_
              .emplace(temperature, method_->prepare({target.model(), target.engine(), temperature,
                                                      costs_, cli::notices(options.quiet)}))
              .first;
    return found->second;
  }

  /// Begun once a method was prepared: a run that is refused leaves the file of --json as it is.
  std::unique_ptr<RecordedReplays> replays() {
    const auto method_at = [this](double temperature) -> const methods::PreparedMethod& {
      return method(temperature);
    };
    return std::make_unique<RecordedReplays>(target.engine(), method_at, options.json);
  }

  inference::Target& target;
  const ReplayOptions& options;

 private:
  std::unique_ptr<methods::Method> method_;
  std::shared_ptr<cost::QuickCosts> costs_;
  std::map<double, methods::PreparedMethod> prepared_;  // by temperature
};

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

/// Texts of earlier runs.
void replay_given(ReplaySetup& setup) {
  const ReplayOptions& options = setup.options;
  const model::ModelConfig& config = setup.target.model().config;
  const auto answers = read_decoded_answers(options.answers, config.vocab, config.context);
  for (const Answer& answer : answers) (void)setup.method(answer.temperature());
  const auto replays = setup.replays();
  cli::Progress progress("texts", std::ssize(answers), options.quiet);
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    replays->replay(answer);
    if (interrupted()) throw Interrupted();
    progress.show(++done);
  }
  replays->write_summary("");
}

/// The answers of a trace store. Where the store has the states that the drafter observes, these
/// are used.
void replay_stored(ReplaySetup& setup) {
  const data::TraceStore store = open_traces(setup.options.data, setup.target);
  RecordedStates states(setup.target.model().config);
  std::unique_ptr<RecordedReplays> replays;
  std::int64_t done = 0, traces = 0;
  for (const auto& [shard, entry] : store.manifest().shards) traces += entry.traces;
  cli::Progress progress("texts", traces, setup.options.quiet);
  for_each_stored_answer(store, [&](const Answer& answer, const data::ShardReader& shard,
                                    std::size_t i) {
    if (interrupted()) throw Interrupted();
    const auto drafter = setup.method(answer.temperature()).new_drafter();
    const engine::TapRequest wants = drafter == nullptr ? engine::TapRequest() : drafter->wants();
    const bool recorded = RecordedStates::suffice(wants, store.identity().layers);
    if (!replays) replays = setup.replays();
    std::vector<data::LayerStates> of_trace;
    for (const int layer : recorded ? wants.layers : std::vector<int>())
      of_trace.push_back({layer, shard.states(i, layer)});
    states.take(std::move(of_trace));
    replays->replay(answer, recorded ? &states : nullptr);
    progress.show(++done);
  });
  if (!replays) replays = setup.replays();
  replays->write_summary("");
}

/// Decodes texts first, and compares.
void decode_and_replay(ReplaySetup& setup, const inference::GenerationOptions& options) {
  inference::Target& target = setup.target;
  const std::vector<text::PromptRecord> prompts = read_prompts(setup.options.prompts);
  for (const text::PromptRecord& prompt : prompts) inference::check_fits(target, prompt);
  (void)setup.method(options.sampler.temperature);
  const auto replays = setup.replays();
  cli::Progress progress("texts", std::ssize(prompts), setup.options.quiet);
  std::int64_t done = 0;
  for (const text::PromptRecord& prompt : prompts) {
    inference::Generation generation(target, options,
                                     inference::context_needed(target, prompt, options.max_new),
                                     setup.method(options.sampler.temperature).new_drafter());
    const inference::GeneratedText text = generation.generate(
        {prompt.id, prompt.task}, inference::Dialogue(target).ask(prompt.turns[0]));
    if (interrupted()) throw Interrupted();
    const Replay replayed = replays->replay(answer_of(text, options));
    compare(prompt.id, text.result.stats.by_pass, replayed.by_pass);
    progress.show(++done);
  }
  replays->write_summary(": replays equal decoding, pass by pass");
}

void run_replay(ReplayOptions& options) {
  const inference::TargetOptions of_target = target_options(options.target, options.quiet);
  const inference::GenerationOptions generation = generation_options(options.generation);
  resolve_prompt_flags(options.prompts, options.given);
  inference::Target target(of_target);
  ReplaySetup setup(target, options);
  catch_interrupts();
  if (!options.data.empty())
    replay_stored(setup);
  else if (!options.answers.empty())
    replay_given(setup);
  else
    decode_and_replay(setup, generation);
}

/// What decoding uses.
void declare_uses(cli::CommandOptions& command, const ReplayOptions& options) {
  const std::vector<std::string> of_decoding = {"prompts",
                                                "limit",
                                                "chat",
                                                "system",
                                                "max-new",
                                                "ctx",
                                                "temperature",
                                                "top-k",
                                                "top-p",
                                                "min-p",
                                                "repetition-penalty",
                                                "presence-penalty",
                                                "frequency-penalty",
                                                "logit-bias",
                                                "seed",
                                                "prefill-chunk"};
  const auto has_no_data = [&options] { return options.data.empty(); };
  command.refuse_unless({"answers"}, has_no_data, "not with --data");
  command.refuse_unless(of_decoding, has_no_data, "not with --data, whose answers exist already");
  command.refuse_unless(
      of_decoding, [&options] { return options.answers.empty(); },
      "not with --answers, whose texts exist already");
}

}  // namespace

cli::Command add_replay(CLI::App& program) {
  auto options = std::make_shared<ReplayOptions>();
  cli::CommandOptions command(
      program, "replay",
      "Decode prompts and check that replays of the answers have the same passes");
  command.footer(kReplayExamples);
  declare_model_flag(command, options->target.model);
  command
      .add_option("--prompts", options->prompts.prompts,
                  "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
  declare_limit_flag(command, options->prompts);
  command
      .add_option("--answers", options->answers,
                  "Replay these texts, records of `runtime decode --json`, and decode nothing")
      .type_name("FILE");
  command
      .add_option("--data", options->data,
                  "Replay these traces and decode nothing; where they hold the states that the "
                  "method observes, these are read, rounded to bf16, and not recomputed")
      .type_name("FOLDER");
  declare_chat_flags(command, options->target);
  command.group("Length");
  declare_length_flags(command, options->generation, options->target);
  command.group("Method");
  options->method.declare_method(command);
  options->method.declare_settings(command);
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, options->generation);
  declare_sampler_flags(command, options->generation);
  declare_machine_flags(command, options->target.engine, options->generation.prefill_chunk);
  cli::declare_cost_flags(command, options->costs);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Write a record of each replay, replacing the file; - is standard output")
      .type_name("FILE");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  declare_uses(command, *options);
  return {command, [options, command] {
            options->given = command.given();
            run_replay(*options);
          }};
}

}  // namespace outrider::calibrate
