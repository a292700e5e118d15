#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "calibrate/cli/answer_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/all_report.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/result_flags.h"

namespace outrider::calibrate {
namespace {

/// The commands that are steps.
const std::map<std::string, cli::AddCommand> kCommands = {{"cost", add_cost},
                                                          {"heads", add_heads},
                                                          {"layer", add_layer},
                                                          {"ngrammys", add_ngrammys},
                                                          {"pair-counts", add_pair_counts},
                                                          {"ssd", add_ssd},
                                                          {"gsd", add_gsd},
                                                          {"parallelspec", add_parallelspec}};

struct AllOptions : AnswerOptions {
  std::string traces;  // a folder for those that it makes; empty: beside the artifact file
  bool again = false;
};

/// The words of a step after its name. @param context  --ctx; 0: the model's
std::vector<std::string> words_of(const MissingStudy& study, const std::string& data, int context,
                                  const AllOptions& options) {
  const cli::EngineFlags& engine = options.target.engine;
  std::vector<std::string> words;
  const auto add = [&words](const char* flag, const std::string& value) {
    if (!value.empty() && value != "0") words.insert(words.end(), {flag, value});
  };
  add("--model", options.target.model);
  if (study.name != "pair-counts") {  // which reads texts alone
    add("--device", engine.device);
    add("--numerics", engine.numerics);
    add("--quantise", engine.quantise);
    add("--kv", engine.kv);
    add("--isa", engine.isa);
    add("--threads", std::to_string(engine.threads));
  }
  add("--ctx", std::to_string(context));
  if (study.needs_traces) add("--data", data);
  add("--artifacts", options.files.artifacts);
  if (options.quiet) words.emplace_back("--quiet");
  words.insert(words.end(), study.flags.begin(), study.flags.end());
  return words;
}

void run_all(const AllOptions& options, Watch& watch) {
  auto target = std::make_unique<inference::Target>(
      target_of_traces(options.target, options.data, options.quiet));
  const model::Model& model = target->model();
  const int context = model.original_context > 0 ? model.config.context : options.target.context;
  watch.listen();
  AllStudies all = {options.source(), options.traces, options.files, options.again,
                    options.minutes};
  const auto file = all.files.file_of(artifacts::identity_of(model), artifacts::kPldPlusHeads);
  if (all.traces.empty())
    all.traces = file.parent_path() /
                 (std::filesystem::path(options.target.model).stem().string() + ".traces");
  options.check_data(*target);
  const DoneStudies done = do_all_studies(
      std::move(target), all,
      [&](const MissingStudy& study, const std::string& data) {
        const std::vector<std::string> words = words_of(study, data, context, options);
        watch.inform(fmt::format("calibrate {} {}", study.name, fmt::join(words, " ")));
        cli::run_part("calibrate", kCommands.at(study.name), words, options.limit);
      },
      watch);
  if (!done.whole && interrupted()) {
    watch.inform("interrupted: what is done is kept, and the same command goes on from it");
    throw Interrupted();
  }
  inference::TargetOptions decoding = target_of_traces(options.target, options.data, true);
  decoding.context = context;
  target = std::make_unique<inference::Target>(std::move(decoding));
  write_output(all_studies_text(done, all.minutes) + decoding_text(*target, all.files));
  if (!done.failed.empty())
    throw InputError(
        fmt::format("calibrate all: {} not done, as is said above", fmt::join(done.failed, ", ")));
}

}  // namespace

cli::Command add_all(CLI::App& program) {
  auto options = std::make_shared<AllOptions>();
  options->samples = 0;
  options->minutes = kMinutesOfAll;
  cli::CommandOptions command(
      program, "all",
      "Do all calibration that a model still lacks, within half an hour or as long as is said");
  command.footer(
      "Done are, in this order: cost, heads, layer, ngrammys, and, where there is such a drafter, "
      "pair-counts, ssd, gsd and parallelspec. What there is for the model already is left out. "
      "Each step is the command of its name, and its result is kept when it ends. An interrupted "
      "run goes on when the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate all -m MODEL.gguf\n"
      "  calibrate all -m MODEL.gguf --data traces --artifacts mine.h5 --minutes 10\n"
      "  calibrate all -m MODEL.gguf --prompts MINE.jsonl --again\n");
  declare_answer_flags(command, *options);
  command
      .add_option("--traces", options->traces,
                  "Folder for the answers that are generated without --data (default: beside the "
                  "artifact file)")
      .type_name("FOLDER");
  command.refuse_unless(
      {"traces"}, [options] { return options->data.empty(); },
      "not with --data, whose answers exist already");
  command.add_flag("--again", options->again, "Also do what the model has results of");
  cli::declare_results_flag(command, options->files.artifacts);
  cli::declare_minutes_flag(command, options->minutes);
  return study_command(command, options, run_all);
}

}  // namespace outrider::calibrate
