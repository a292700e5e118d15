#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/journal_folder.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/printed_result.h"
#include "calibrate/report/replay_report.h"
#include "calibrate/studies/replay_study.h"
#include "data/store/manifest.h"
#include "runtime/artifacts/acceptance_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/cost_flags.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kReplayExamples =
    "Calibration chooses by replaying answers. This command decodes prompts, replays the answers, "
    "and\n"
    "fails at the first pass that drafted or accepted another number of tokens. With --answers or "
    "--data\n"
    "it only replays texts that were decoded before, with any method: what --method would "
    "have drafted\n"
    "and have accepted. An interrupted run goes on when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
    "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n"
    "  calibrate replay -m MODEL.gguf --method tsd --prompts PROMPTS.jsonl --sequences 7\n"
    "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --json texts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method pld-plus-h --json "
    "drafts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --data traces --method pld-plus-h --layer 9\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method tsd --sources pld "
    "--acceptance checkpoints/\n";

struct ReplayOptions {
  cli::TargetFlags target;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"pld"};
  cli::CostFlags costs;
  int sequences = 1;  // decoded at a time
  // What to replay; all empty: texts that this run decodes.
  std::string answers;     // records of texts
  std::string data;        // a trace store
  std::string acceptance;  // an artifact file or a folder of such files; empty: counts are not kept
  PrintedResult result;

  ReplayOptions() { prompts.prompts = cli::kShippedPrompts; }
};

void replay_texts(ReplayOptions& options, Watch& watch) {
  const inference::TargetOptions of_target =
      target_of_traces(options.target, options.data, options.result.quiet);
  inference::GenerationOptions generation = generation_options(options.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  resolve_prompt_flags(options.prompts, options.result.given);
  inference::Target target(of_target);
  auto method = options.method.chosen(options.result.given);
  const std::string group = artifacts::acceptance_group(method->name());
  const auto identity = artifacts::identity_of(target.model());
  std::filesystem::path kept;
  if (!options.acceptance.empty())
    kept = artifacts::checked_file_to_write(options.acceptance, cli::artifact_folders(), identity,
                                            group);
  // Opened once the method is prepared: a run that is refused leaves the file as it is.
  std::optional<RecordFile> records;
  Replays replays(
      target,
      {std::move(method), cli::artifact_folders(),
       cli::quick_costs(options.costs, options.result.quiet),
       [&] { records.emplace("--json", options.result.json); },
       [&](const Answer& answer, const methods::PreparedMethod& prepared, const Replay& replayed) {
         records->write(replay_record(answer, replayed, prepared));
       },
       journal_folder()},
      watch);
  watch.listen();
  std::string found;
  if (!options.data.empty()) {
    replays.of_traces(open_traces(options.data, target));
  } else if (!options.answers.empty()) {
    const model::ModelConfig& config = target.model().config;
    replays.of_answers(read_decoded_answers(options.answers, config.vocab, config.context));
  } else {
    std::vector<text::PromptRecord> prompts = read_prompts(options.prompts);
    inference::choose_prompts(target, options.prompts.skip_refused, prompts);
    replays.of_decoding(prompts, generation, options.sequences);
    found = ": replays equal decoding, pass by pass";
  }
  if (!kept.empty() && !replays.acceptance().empty())
    artifacts::replace_group(
        kept, identity, group,
        {"calibrate replay", options.result.resolved, options.generation.sampler.seed, {}, {}, {}},
        [&](hdf5::Writer& file, const std::string& path) {
          artifacts::write_acceptance(replays.acceptance(), file, path);
        });
  const Replay& sum = replays.sum();
  if (options.result.json != "-")
    write_output(fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted{}\n",
                             replays.texts(), sum.passes, sum.drafted, sum.accepted, found));
  replays.remove_journal();
}

/// What decoding uses.
void declare_uses(cli::CommandOptions& command, const ReplayOptions& options) {
  const std::vector<std::string> of_decoding = {"prompts",
                                                "limit",
                                                "skip-refused",
                                                "chat",
                                                "system",
                                                "template-arg",
                                                "no-thinking",
                                                "today",
                                                "max-new",
                                                "ctx",
                                                "sequences",
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
      .type_name("FILE")
      .reads(cli::prompts_at);
  declare_record_flags(command, options->prompts);
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
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, options->generation);
  declare_sampler_flags(command, options->generation);
  declare_machine_flags(command, options->target.engine, options->generation.prefill_chunk);
  cli::declare_cost_flags(command, options->costs);
  command.group("Options");
  declare_json_flag(command, options->result,
                    "Write a record of each replay, replacing the file; - is standard output");
  command
      .add_option(
          "--acceptance", options->acceptance,
          "Keep in this artifact file, or in one in this folder, how often the method's "
          "tokens were accepted, by source, rank, depth and the draft's own probability; "
          "decoding with the method knows it from then on (checkpoints/ is the usual folder)")
      .type_name("FILE")
      .updates()
      .rare();
  declare_end_flags(command, options->result);
  declare_uses(command, *options);
  return printing_command(command, options, replay_texts);
}

}  // namespace outrider::calibrate
