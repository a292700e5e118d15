#include "calibrate/commands/draft.h"

#include <fmt/core.h>

#include <memory>
#include <optional>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/draft_report.h"
#include "calibrate/commands/pass_costs.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/commands/traced_answers.h"
#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/cost/time_steps.h"
#include "runtime/engine/machine.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kDraftExamples =
    "Nothing is decoded: the draft model reads the texts of the traces and draws, with their own "
    "noise,\n"
    "what it would draft in place of each token. A token outside its vocabulary counts as "
    "rejected; "
    "tokens in\n"
    "loops do not count.\n\n"
    "Examples:\n"
    "  calibrate draft -m MODEL.gguf --data traces\n"
    "  calibrate draft -m MODEL.gguf --data traces --draft SMALL.gguf --json -\n";

struct DraftCommandOptions {
  cli::TargetFlags target;
  std::string data;
  std::string draft;
  std::optional<int> draft_threads;  // nothing: 1 or the target's, the faster
  int limit = 0;
  std::string json;
  bool quiet = false;
  ResultOptions result;
};

/// One call of `calibrate draft`.
class DraftCommand {
 public:
  explicit DraftCommand(const DraftCommandOptions& options)
      : options_(options),
        target_(target_options(options.target, options.quiet)),
        identity_(artifacts::identity_of(target_.model())),
        known_(known_artifacts(options.result, identity_)),
        draft_(load(options.draft_threads)),
        of_artifacts_(options.draft.empty()) {}

  void run() {
    catch_interrupts();
    const std::string group = artifacts::draft_settings_group(engine::machine_name());
    if (of_artifacts_) result_file(options_.result, identity_, group);
    const data::TraceStore store = open_traces(options_.data, target_);
    const std::vector<Answer> answers = read_traced_answers(store, options_.limit);
    RecordFile json("--json", options_.json);  // after all that is read, which it must not empty
    measure(answers);
    try_answers(answers);
    choose();
    json.write(draft_findings_json(found_));
    if (options_.json != "-") write_output(draft_findings_text(found_));
    if (!of_artifacts_) return;
    const auto path = write_result(options_.result, identity_, group, "calibrate draft", 0,
                                   data::identity_text(store.identity()),
                                   [&](hdf5::Writer& file, const std::string& name) {
                                     artifacts::write_draft_settings(found_.settings, file, name);
                                   });
    if (!options_.quiet) print_log("written to {}\n", path.string());
  }

 private:
  std::shared_ptr<const methods::LoadedDraft> load(std::optional<int> threads) {
    found_.draft = options_.draft;
    std::string artifacts = artifacts_to_read(options_.result, identity_);
    return methods::load_draft({target_.model(), target_.engine()}, found_.draft, artifacts,
                               threads);
  }

  void measure(const std::vector<Answer>& answers) {
    cost::MachineDraftSettings& settings = found_.settings;
    if (of_artifacts_)
      settings.draft = artifacts::draft_hash(artifacts::ArtifactFile(found_.draft));
    settings.numerics = target_.engine().numerics_name();
    settings.threads = target_.engine().threads();
    settings.context = usual_context(target_.engine(), answers);
    time_with(draft_);
    // A pass of a small model can be over before all threads have begun.
    if (!options_.draft_threads && settings.threads > 1) time_with(load(1));
  }

  /// Takes the times, and the number of threads, where a step's share of a pass is the least so far.
  void time_with(const std::shared_ptr<const methods::LoadedDraft>& draft) {
    cost::MachineDraftSettings& settings = found_.settings;
    const cost::StepTimes times = cost::time_steps(
        target_.engine(), {engine_of(draft), draft->model->head_tokens}, settings.context);
    const double step = times.draft.median, pass = times.target.median;
    if (settings.draft_threads > 0 && step / pass >= settings.c()) return;
    settings.draft_threads = draft->engine->threads();
    settings.draft_seconds = step;
    settings.pass_seconds = pass;
  }

  void try_answers(const std::vector<Answer>& answers) {
    DraftTrials trials(*draft_->engine, draft_->model->head_tokens);
    for_each_answer("texts", answers, options_.quiet, [&](const Answer& answer) {
      found_.trials[answer.temperature()].add(answer.task, trials.of(answer));
    });
  }

  /// The step's share of a pass as measured, the passes as the cost model has them: both were timed at
  /// different times, and only a ratio outlives a change of the machine's load.
  void choose() {
    const int context = found_.settings.context;
    const PassCosts costs = pass_costs(target_.engine(), known_, 17, context);
    found_.cost_origin = costs.origin;
    const auto pass_seconds = [&](int rows) {
      return costs.model.seconds({cost::Shape::kChain, rows, context});
    };
    for (const auto& [temperature, trials] : found_.trials)
      found_.settings.by_temperature.push_back(choose_draft_settings(
          trials, temperature, pass_seconds, found_.settings.c() * pass_seconds(1)));
  }

  const DraftCommandOptions& options_;
  inference::Target target_;
  artifacts::TargetIdentity identity_;
  artifacts::ArtifactSet known_;
  DraftFindings found_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  bool of_artifacts_;  // the draft model: its settings are written beside it
};

}  // namespace

cli::Command add_draft(CLI::App& program) {
  auto options = std::make_shared<DraftCommandOptions>();
  cli::CommandOptions command(
      program, "draft",
      "Measure a draft model's acceptance, and find its fastest draft lengths on this machine");
  command.footer(kDraftExamples);
  declare_model_flag(command, options->target.model);
  command.add_option("--data", options->data, "Traces of the model").type_name("FOLDER").required();
  command
      .add_option("--draft", options->draft,
                  "The draft model: a GGUF file, a Hugging Face folder or an artifact file, whose "
                  "settings are only printed (default: that of the artifacts, with its settings "
                  "written to them)")
      .type_name("FILE");
  command
      .add_option(
          "--draft-threads", options->draft_threads,
          "Threads of the draft model: 1, or as many as the target has (default: the faster)")
      .check(cli::whole_number(1, engine::kMostThreads));
  command.add_option("--limit", options->limit, "Number of texts, from the first; 0: all")
      .check(cli::whole_number(0, 1'000'000'000));
  declare_result_flags(command, options->result);
  command.group("Machine");
  declare_threads_flag(command, options->target.engine);
  declare_numerics_flags(command, options->target.engine);
  declare_isa_flag(command, options->target.engine);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Write the results as one JSON object, replacing the file; - is standard output")
      .type_name("FILE");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return result_command(command, options,
                        [](const DraftCommandOptions& given) { DraftCommand(given).run(); });
}

}  // namespace outrider::calibrate
