#include <fmt/core.h>

#include <optional>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/cli/answer_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/report/replay_report.h"
#include "calibrate/studies/replay_study.h"
#include "data/store/manifest.h"
#include "runtime/artifacts/acceptance_group.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/cost_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

struct ReplayOptions
    : StudyFlags {  // its artifacts are a file for counts; empty: they are not kept
  cli::TargetFlags target;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"pld"};
  cli::CostFlags costs;
  int sequences = 1;  // decoded at a time
  // What to replay; both empty: texts that this run decodes.
  std::string answers;  // records of texts
  std::string data;     // a trace store
};

void replay_texts(ReplayOptions& options, Watch& watch) {
  const inference::TargetOptions of_target =
      target_of_traces(options.target, options.data, options.quiet);
  const bool decodes = options.data.empty() && options.answers.empty();
  if (decodes) take_own_sampling(options.generation, options.target.model, of_target.notices);
  inference::GenerationOptions generation = generation_options(options.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  inference::Target target(of_target);
  auto method = options.method.chosen(options.given);
  const std::string group = artifacts::acceptance_group(method->name());
  const artifacts::TargetIdentity identity = artifacts::identity_of(target.model());
  const bool keeps = !options.files.artifacts.empty();
  const StudyFiles files = keeps ? options.files.of_group(identity, group) : options.files;
  // Opened once the method is prepared: a run that is refused leaves the file as it is.
  std::optional<RecordFile> records;
  Replays replays(
      target,
      {std::move(method), files.folders, cli::quick_costs(options.costs, options.quiet),
       [&] { records.emplace("--json", options.json); },
       [&](const Answer& answer, const methods::PreparedMethod& prepared, const Replay& replayed) {
         records->write(replay_record(answer, replayed, prepared));
       },
       journal_folder()},
      watch);
  watch.listen();
  if (!options.data.empty()) {
    replays.of_traces(open_traces(options.data, target));
  } else if (!options.answers.empty()) {
    const model::ModelConfig& config = target.model().config;
    replays.of_answers(read_decoded_answers(options.answers, config.vocab, config.context));
  } else {
    std::vector<text::PromptRecord> prompts = read_prompts(options.prompts);
    inference::choose_prompts(target, options.prompts.skip_refused, prompts);
    replays.of_decoding(prompts, generation, options.sequences);
  }
  if (keeps) replays.write_acceptance(files, group, options.generation.sampler.seed);
  const Replay& sum = replays.sum();
  if (options.json != "-")
    write_output(fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted{}\n",
                             replays.texts(), sum.passes, sum.drafted, sum.accepted,
                             decodes ? ": replays equal decoding, pass by pass" : ""));
  replays.remove_journal();
}

/// What only decoding uses.
void declare_uses(cli::CommandOptions& command, const ReplayOptions& options) {
  const auto has_no_data = [&options] { return options.data.empty(); };
  const auto has_no_answers = [&options] { return options.answers.empty(); };
  command.refuse_unless({"answers"}, has_no_data, "not with --data");
  const auto refuse = [&](const std::vector<std::string>& flags) {
    command.refuse_unless(flags, has_no_data, "not with --data, whose answers exist already");
    command.refuse_unless(flags, has_no_answers, "not with --answers, whose texts exist already");
  };
  refuse({"prompts", "limit", "skip-refused", "sequences"});
  refuse({"chat", "system", "template-arg", "no-thinking", "today", "max-new", "ctx"});
  refuse({"temperature", "top-k", "top-p", "min-p", "logit-bias", "seed", "prefill-chunk"});
  refuse({"repetition-penalty", "presence-penalty", "frequency-penalty"});
}

}  // namespace

cli::Command add_replay(CLI::App& program) {
  auto options = std::make_shared<ReplayOptions>();
  options->prompts.prompts = cli::kShippedPrompts;
  cli::CommandOptions command(
      program, "replay",
      "Decode prompts and check that replays of the answers have the same passes");
  command.footer(
      "Calibration chooses by replaying answers. This command decodes prompts, replays the "
      "answers, and fails at the first pass that drafted or accepted another number of tokens. "
      "With --answers or --data it only replays texts that were decoded before, with any method: "
      "what --method would have drafted and have accepted. An interrupted run goes on when the "
      "same command is given again.\n\n"
      "Examples:\n"
      "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
      "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n"
      "  calibrate replay -m MODEL.gguf --method tsd --prompts PROMPTS.jsonl --sequences 7\n"
      "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --json texts.jsonl\n"
      "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method pld-plus-h --json "
      "drafts.jsonl\n"
      "  calibrate replay -m MODEL.gguf --data traces --method pld-plus-h --layer 9\n"
      "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method tsd --sources pld "
      "--acceptance checkpoints/\n");
  declare_model_flag(command, options->target.model);
  declare_first_turns_flags(command, options->prompts);
  command
      .add_option("--answers", options->answers,
                  "Replay these texts, records of `runtime decode --json`, and decode nothing")
      .type_name("FILE")
      .reads();
  command
      .add_option("--data", options->data,
                  "Replay these traces and decode nothing; where they hold the states that the "
                  "method observes, these are read, rounded to bf16, and not recomputed")
      .type_name("FOLDER")
      .reads(data::store_at);
  command
      .add_option("--sequences", options->sequences,
                  "Texts to decode at a time, in the same passes")
      .check(cli::whole_number(1, 1024));
  declare_chat_flags(command, options->target);
  command.group("Length");
  declare_length_flags(command, options->generation, options->target);
  command.group("Method");
  options->method.declare_method(command);
  options->method.declare_settings(command);
  command.group("Sampling (without these as the model's files say)");
  declare_temperature_flag(command, options->generation);
  declare_sampler_flags(command, options->generation);
  declare_machine_flags(command, options->target.engine, options->generation.prefill_chunk);
  cli::declare_cost_flags(command, options->costs);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Write a record of each replay, replacing the file; - is standard output")
      .type_name("FILE")
      .writes();
  command
      .add_option(
          "--acceptance", options->files.artifacts,
          "Keep in this artifact file, or in one in this folder, how often the method's tokens "
          "were accepted, by source, rank, depth and the draft's own probability; decoding with "
          "the method knows it from then on (checkpoints/ is the usual folder)")
      .type_name("FILE")
      .updates()
      .rare();
  declare_end_flags(command, *options);
  declare_uses(command, *options);
  return study_command(command, options, replay_texts);
}

}  // namespace outrider::calibrate
