#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/answers/made_traces.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/studies/missing_studies.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/duration_text.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/time_limit.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"

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

constexpr double kMinutesOfAll = 30;
constexpr double kShareOfTraces = 0.3;  // of the minutes
constexpr double kCostMinutes = 1;

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

/// One call of `calibrate all`.
class AllCommand {
 public:
  explicit AllCommand(const AllOptions& options)
      : options_(options),
        target_(std::make_unique<inference::Target>(
            target_of_traces(options.answers.target, options.answers.data, options.answers.quiet))),
        context_(target_->model().original_context > 0 ? target_->model().config.context
                                                       : options.answers.target.context),
        identity_(artifacts::identity_of(target_->model())) {}

  void run() {
    catch_interrupts();
    file_of(artifacts::kPldPlusHeads);
    check_answer_source(*target_, options_.answers);
    const double minutes = options_.result.minutes;
    std::vector<MissingStudy> studies = missing_studies(
        known_artifacts(options_.result, identity_), target_->engine(), options_.again,
        minutes > 0 ? std::min(kCostMinutes, minutes) : kCostMinutes);
    const bool needs_traces = std::any_of(
        studies.begin(), studies.end(),
        [](const MissingStudy& one) { return one.outcome.empty() && one.needs_traces; });
    std::optional<MadeTraces> traces;
    if (needs_traces && options_.answers.data.empty()) traces.emplace(planned_traces());
    announce(studies, traces);
    const bool whole = (!traces || make(*traces)) && run_steps(studies, traces);
    report(studies, whole);
  }

 private:
  bool is_over() const { return interrupted() || options_.result.limit.is_over(); }

  void print(const std::string& line) const {
    if (!options_.answers.quiet) print_log("{}\n", line);
  }

  /// Traces of as many samples as a part of the minutes has room for.
  MadeTraces planned_traces() {
    MakingOptions making = options_.answers.source().making;
    making.interrupted = [this] { return is_over(); };
    std::filesystem::path folder = options_.traces;
    if (folder.empty()) {
      const auto artifact = file_of(artifacts::kPldPlusHeads);
      folder = artifact.parent_path() /
               (std::filesystem::path(options_.answers.target.model).stem().string() + ".traces");
    }
    const double minutes = options_.result.minutes > 0 ? options_.result.minutes : kMinutesOfAll;
    return {*target_, making, folder, 60 * kShareOfTraces * minutes};
  }

  std::string name_of(const MissingStudy& study) const {
    return fmt::format("calibrate {}", fmt::join(words_of(study), " "));
  }
  /// What tells it from others.
  static std::vector<std::string> words_of(const MissingStudy& study) {
    std::vector<std::string> words = {study.name};
    if (study.name == "tree") words.insert(words.end(), study.flags.begin(), study.flags.end());
    return words;
  }

  std::filesystem::path file_of(const char* group) const {
    return result_file(options_.result, identity_, group);
  }

  void estimate(std::vector<MissingStudy>& studies, const WorkAhead& ahead,
                const std::vector<Answer>& answers) {
    calibrate::estimate(*target_, ahead, answers,
                        {file_of(artifacts::kPldPlusHeads), file_of(artifacts::kPldPlusLayer)},
                        studies);
  }

  void announce(std::vector<MissingStudy>& studies, const std::optional<MadeTraces>& traces) {
    if (options_.answers.quiet) return;
    std::vector<PlannedPart> parts;
    if (traces) {
      const bool are_there = traces->ahead().to_make == 0;
      estimate(studies, traces->ahead(),
               are_there ? read_stored_answers(data::TraceStore(traces->folder()))
                         : std::vector<Answer>());
      if (!are_there)
        parts.push_back({fmt::format("{} prompts answered into {}", traces->ahead().to_make,
                                     traces->folder().string()),
                         traces->ahead().making_seconds});
    } else {
      const std::string& data = options_.answers.data;
      const std::vector<Answer> answers =
          data.empty() ? std::vector<Answer>() : read_stored_answers(open_traces(data, *target_));
      estimate(studies, work_on(answers), answers);
    }
    for (const MissingStudy& study : studies)
      if (study.seconds) parts.push_back({name_of(study), *study.seconds});
    cli::announce("calibrate all", parts, options_.result.minutes, false);
    for (const MissingStudy& study : studies) {
      if (!study.outcome.empty())
        print(fmt::format("  {} is left out: {}", name_of(study), study.outcome));
      else if (!study.seconds)
        print(fmt::format("  {} says when it begins how long it takes", name_of(study)));
    }
  }

  /// @return whether all are made: the minutes may be over. @throws Interrupted by the user
  bool make(MadeTraces& traces) {
    return within_minutes([&] {
      std::optional<cli::Progress> progress;
      traces.make([&](std::int64_t done, std::int64_t total) {
        if (!progress) progress.emplace("conversations", total, options_.answers.quiet);
        progress->show(done);
      });
    });
  }

  /// @return whether the work ended, and not the minutes. @throws Interrupted by the user
  bool within_minutes(const std::function<void()>& work) const {
    try {
      if (is_over()) throw Interrupted();
      work();
      return true;
    } catch (const Interrupted&) {
      if (interrupted()) throw;
      return false;
    }
  }

  /// Steps load the model themselves: this one's memory is given back first.
  bool run_steps(std::vector<MissingStudy>& studies, const std::optional<MadeTraces>& traces) {
    const std::string data = traces ? traces->folder().string() : options_.answers.data;
    target_.reset();
    for (MissingStudy& study : studies) {
      if (!study.outcome.empty()) continue;
      std::vector<std::string> words = flags_of(study, data);
      print(fmt::format("calibrate {} {}", study.name, fmt::join(words, " ")));
      const Stopwatch watch;
      try {
        if (!within_minutes([&] {
              cli::run_part("calibrate", kCommands.at(study.name), words, options_.result.limit);
            }))
          return false;
        study.outcome = fmt::format("done in {}", duration_text(watch.seconds()));
      } catch (const InputError& error) {
        // Texts that do for one study need not do for another, so the others are done.
        study.outcome = fmt::format("not done: {}", error.what());
        failed_.push_back(name_of(study));
      }
    }
    return true;
  }

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

  /// What was done, and what decoding does with it.
  void report(const std::vector<MissingStudy>& studies, bool whole) {
    std::string text;
    for (const MissingStudy& study : studies)
      text += fmt::format("{:<32} {}\n", name_of(study),
                          study.outcome.empty() ? "not done yet" : study.outcome);
    if (!whole)
      text += fmt::format(
          "--minutes {:g} are over: what is done is kept, and the same command goes on from it\n",
          options_.result.minutes);
    write_output(text + decoding_text());
    if (!failed_.empty())
      throw InputError(
          fmt::format("calibrate all: {} not done, as is said above", fmt::join(failed_, ", ")));
  }

  std::string decoding_text() const {
    inference::TargetOptions of_target =
        target_of_traces(options_.answers.target, options_.answers.data, true);
    of_target.context = context_;
    inference::Target target(std::move(of_target));
    std::string text;
    for (const double temperature : {0.0, 1.0}) {
      const methods::MethodTarget of_methods(target.model(), target.engine(),
                                             options_.result.folders, temperature);
      const auto method = methods::new_method("auto");
      methods::fill_in(*method, "artifacts", artifacts_to_read(options_.result, identity_));
      const methods::PreparedMethod prepared = method->prepare(of_methods);
      text += fmt::format(
          "runtime decode --model {}{}{}{}: {}\n", options_.answers.target.model,
          context_ > 0 ? fmt::format(" --ctx {}", context_) : "",
          options_.result.artifacts.empty() ? "" : " --artifacts " + options_.result.artifacts,
          temperature > 0 ? " --temperature 1" : "", settings_text(prepared));
    }
    return text;
  }

  /// "pld-plus-h, layer 12, draft-length 5"
  static std::string settings_text(const methods::PreparedMethod& prepared) {
    std::string text = prepared.name();
    for (const auto& setting : prepared.record().items()) {
      const nlohmann::ordered_json& value = setting.value();
      if (value.is_null() || value.is_structured() || value == "" || setting.key() == "artifacts")
        continue;
      std::string name = setting.key();
      std::replace(name.begin(), name.end(), '_', '-');
      text +=
          fmt::format(", {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text;
  }

  const AllOptions& options_;
  std::unique_ptr<inference::Target> target_;  // until the steps begin
  int context_;                                // --ctx of the steps; 0: the model's
  artifacts::TargetIdentity identity_;
  std::vector<std::string> failed_;
};

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
  return answer_command(command, options, [](const AllOptions& given) { AllCommand(given).run(); });
}

}  // namespace outrider::calibrate
