#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/report/all_report.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kAllExamples =
    "Done are, in this order: cost, heads, layer, ngrams, and, where there is such a drafter, "
    "followers,\n"
    "draft, graph and tree. What there is for the model already is left out. Each step is the "
    "command of its\n"
    "name, and its result is kept when it ends. An interrupted run goes on when the same command "
    "is given again.\n\n"
    "Examples:\n"
    "  calibrate all -m MODEL.gguf\n"
    "  calibrate all -m MODEL.gguf --data traces --artifacts mine.h5 --minutes 10\n"
    "  calibrate all -m MODEL.gguf --prompts MINE.jsonl --again\n";

/// The commands that are steps.
const std::map<std::string, cli::AddCommand> kCommands = {
    {"cost", add_cost},           {"heads", add_heads},
    {"layer", add_layer},         {"ngrams", add_ngrams},
    {"followers", add_followers}, {"draft", add_draft},
    {"graph", add_graph},         {"tree", add_tree}};

struct AllOptions {
  AnswerOptions answers;
  ResultOptions result;
  std::string traces;  // a folder for those that it makes; empty: beside the artifact file
  bool again = false;

  AllOptions() {
    answers.samples = 0;
    result.minutes = kMinutesOfAll;
  }
};

/// What is the same in all steps and in decoding after them.
class Steps {
 public:
  /// @param context  --ctx of the steps; 0: the model's
  Steps(const AllOptions& options, int context) : options_(options), context_(context) {}

  void run(const MissingStudy& study, const std::string& data) const {
    const std::vector<std::string> words = flags_of(study, data);
    if (!options_.answers.quiet) print_log("calibrate {} {}\n", study.name, fmt::join(words, " "));
    cli::run_part("calibrate", kCommands.at(study.name), words, options_.result.limit);
  }

  /// What decoding does with what was found.
  std::string decoding_text(const std::string& artifacts) const {
    inference::TargetOptions of_target =
        target_of_traces(options_.answers.target, options_.answers.data, true);
    of_target.context = context_;
    inference::Target target(std::move(of_target));
    std::string text;
    for (const double temperature : {0.0, 1.0}) {
      const methods::MethodTarget of_methods(target.model(), target.engine(),
                                             options_.result.folders, temperature);
      text += fmt::format(
          "runtime decode --model {}{}{}{}: {}\n", options_.answers.target.model,
          context_ > 0 ? fmt::format(" --ctx {}", context_) : "",
          options_.result.artifacts.empty() ? "" : " --artifacts " + options_.result.artifacts,
          temperature > 0 ? " --temperature 1" : "", default_method_text(of_methods, artifacts));
    }
    return text;
  }

 private:
  /// A step's words after its name.
  std::vector<std::string> flags_of(const MissingStudy& study, const std::string& data) const {
    const cli::EngineFlags& engine = options_.answers.target.engine;
    std::vector<std::string> words = {"--model",    options_.answers.target.model,
                                      "--device",   engine.device,
                                      "--numerics", engine.numerics,
                                      "--quantise", engine.quantise,
                                      "--kv",       engine.kv,
                                      "--isa",      engine.isa};
    if (study.name == "followers") words.resize(2);  // it reads texts alone
    if (context_ > 0) words.insert(words.end(), {"--ctx", std::to_string(context_)});
    if (study.needs_traces) words.insert(words.end(), {"--data", data});
    if (study.name != "followers" && engine.threads > 0)
      words.insert(words.end(), {"--threads", std::to_string(engine.threads)});
    if (!options_.result.artifacts.empty())
      words.insert(words.end(), {"--artifacts", options_.result.artifacts});
    if (options_.answers.quiet) words.emplace_back("--quiet");
    words.insert(words.end(), study.flags.begin(), study.flags.end());
    return words;
  }

  const AllOptions& options_;
  int context_;
};

void run_all(const AllOptions& options) {
  cli::ShownWatch watch("calibrate all", options.result.limit, options.answers.quiet);
  auto target = std::make_unique<inference::Target>(
      target_of_traces(options.answers.target, options.answers.data, options.answers.quiet));
  const model::Model& model = target->model();
  const Steps steps(
      options, model.original_context > 0 ? model.config.context : options.answers.target.context);
  const artifacts::TargetIdentity identity = artifacts::identity_of(model);
  watch.listen();
  const auto file_of = [&](const char* group) {
    return result_file(options.result, identity, group);
  };
  AllStudies all = {options.answers.source(),
                    options.traces,
                    {file_of(artifacts::kPldPlusHeads), file_of(artifacts::kPldPlusLayer)},
                    options.again,
                    options.result.minutes};
  if (all.traces.empty())
    all.traces = all.files.heads.parent_path() /
                 (std::filesystem::path(options.answers.target.model).stem().string() + ".traces");
  check_answer_source(*target, options.answers);
  const DoneStudies done = do_all_studies(
      std::move(target), all, known_artifacts(options.result, identity),
      [&](const MissingStudy& study, const std::string& data) { steps.run(study, data); }, watch);
  if (!done.whole && interrupted()) throw Interrupted();
  write_output(all_studies_text(done, all.minutes) +
               steps.decoding_text(artifacts_to_read(options.result, identity)));
  if (!done.failed.empty())
    throw InputError(
        fmt::format("calibrate all: {} not done, as is said above", fmt::join(done.failed, ", ")));
}

}  // namespace

cli::Command add_all(CLI::App& program) {
  auto options = std::make_shared<AllOptions>();
  cli::CommandOptions command(
      program, "all",
      "Do all calibration that a model still lacks, within half an hour or as long "
      "as is said");
  command.footer(kAllExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--traces", options->traces,
                  "Folder for the answers that are generated without --data (default: beside the "
                  "artifact file)")
      .type_name("FOLDER");
  command.refuse_unless(
      {"traces"}, [options] { return options->answers.data.empty(); },
      "not with --data, whose answers exist already");
  command.add_flag("--again", options->again, "Also do what the model has results of");
  declare_result_flags(command, options->result);
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options, run_all);
}

}  // namespace outrider::calibrate
