#include "calibrate/commands/draft_calibration.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/answers.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/methods/find_following.h"

namespace outrider::calibrate {

void declare_draft_calibration_flags(cli::CommandOptions& command,
                                     DraftCalibrationOptions& options) {
  declare_draft_calibration_flags(
      command, options,
      "The draft model: a GGUF file, a Hugging Face folder or an artifact file, whose "
      "settings are only printed (default: that of the artifacts, with its settings "
      "written to them)");
}

void declare_draft_calibration_flags(cli::CommandOptions& command, DraftCalibrationOptions& options,
                                     const std::string& of_draft) {
  declare_model_flags(command, options.target.model, options.target.context);
  declare_template_flags(command, options.target);
  command.add_option("--data", options.data, "Traces of the model")
      .type_name("FOLDER")
      .reads(data::store_at)
      .required();
  command.add_option("--draft", options.draft, of_draft)
      .type_name("FILE")
      .reads(cli::drafter_at)
      .brief("Another draft model; its settings are only printed");
  command
      .add_option(
          "--draft-threads", options.draft_threads,
          "Threads of the draft model: 1, or as many as the target has (default: the faster)")
      .check(cli::whole_number(1, engine::kMostThreads))
      .rare();
  command.add_option("--limit", options.limit, "Number of texts, from the first; 0: all")
      .check(cli::whole_number(0, 1'000'000'000));
  declare_result_flags(command, options.result);
  declare_shard_flag(command, options.result, [] { return true; });
  command.refuse_unless(
      {"shard"}, [&options] { return options.draft.empty(); },
      "not with --draft, whose settings are printed and not written");
}

void declare_positions_flag(cli::CommandOptions& command, int& positions,
                            const std::string& recorded) {
  command
      .add_option("--positions", positions,
                  fmt::format("Positions of each temperature's texts, about, where {} are "
                              "recorded, in stretches of as many for each text; 0: all",
                              recorded))
      .check(cli::whole_number(0, 1'000'000'000))
      .rare();
}

void declare_draft_calibration_output(cli::CommandOptions& command,
                                      DraftCalibrationOptions& options) {
  declare_machine_flags(command, options.target.engine);
  command.group("Options");
  command
      .add_option("--json", options.json,
                  "Write the results as one JSON object, replacing the file; - is standard output")
      .type_name("FILE")
      .writes();
  cli::declare_minutes_flag(command, options.result.minutes);
  command.add_flag("--quiet", options.quiet, "No progress on standard error");
}

DraftCalibration::DraftCalibration(const DraftCalibrationOptions& options, std::string command,
                                   const std::function<std::string(const std::string&)>& group,
                                   std::string drafter)
    : options_(options),
      command_(std::move(command)),
      watch_(command_, options.result.limit, options.quiet),
      drafter_(std::move(drafter)),
      target_(target_of_traces(options.target, options.data, options.quiet)),
      group_(group(target_.engine().place().name)),
      identity_(artifacts::identity_of(target_.model())),
      known_(known_artifacts(options.result, identity_)) {
  const std::string& named = options.result.artifacts;
  if (!options.draft.empty() && !named.empty() && !std::filesystem::exists(named))
    throw InputError(fmt::format(
        "--artifacts {}: expected a file or folder to read, found none: with --draft the settings "
        "are printed, not written",
        named));
}

std::shared_ptr<const methods::LoadedDraft> DraftCalibration::load(std::optional<int> threads) {
  draft_ = options_.draft;
  std::string artifacts = artifacts_to_read(options_.result, identity_);
  return methods::load_draft({target_.model(), target_.engine(), options_.result.folders}, draft_,
                             artifacts, threads);
}

std::shared_ptr<const methods::LoadedParallel> DraftCalibration::load_parallel(
    draft::ParallelModel::Flavour flavour, std::optional<int> threads) {
  const methods::MethodTarget target = {target_.model(), target_.engine(), options_.result.folders};
  draft_ = options_.draft;
  std::string artifacts = artifacts_to_read(options_.result, identity_);
  methods::resolve_draft_threads(target, threads);
  return methods::load_parallel(target, flavour, draft_, artifacts, *threads);
}

draft::Following DraftCalibration::following(std::optional<double> weight) {
  return methods::find_following({target_.model(), target_.engine(), options_.result.folders},
                                 artifacts_to_read(options_.result, identity_), weight);
}

data::TraceStore DraftCalibration::open_traces() {
  if (options_.draft.empty())
    share_ =
        share_of(options_.result, result_file(options_.result, identity_, group_), options_.quiet);
  return calibrate::open_traces(options_.data, target_);
}

cost::DraftingCost DraftCalibration::untimed() const {
  const engine::Engine& engine = target_.engine();
  cost::DraftingCost cost;
  if (options_.draft.empty())
    cost.drafter = artifacts::group_hash(artifacts::ArtifactFile(draft_), drafter_);
  cost.numerics = engine.numerics_name();
  cost.isa = engine.place().unit;
  cost.threads = engine.workers();
  return cost;
}

PassCosts DraftCalibration::costs(int most_rows, int context) {
  return pass_costs(target_.engine(), known_, most_rows, context);
}

data::Journal* DraftCalibration::journal(const std::string& part,
                                         const std::vector<Answer>& answers,
                                         const std::string& settings, std::size_t entries) {
  if (!options_.draft.empty()) return nullptr;
  const std::string drafter = artifacts::group_hash(artifacts::ArtifactFile(draft_), drafter_);
  journals_.push_back(journal_of(result_file(options_.result, identity_, group_), part, target_,
                                 answers, settings + ", drafter " + drafter, share_, entries));
  return &journals_.back();
}

void DraftCalibration::write_trials(const data::TraceStore& store,
                                    const std::map<std::string, cost::Trials>& by_method,
                                    const cost::DraftingCost& drafting) {
  if (!options_.draft.empty()) return;
  const ResultOptions& result = options_.result;
  const StudyFiles files = {{}, result.artifacts, result.resolved, result.shard, result.folders};
  std::vector<std::string> paths;
  for (const auto& path : calibrate::write_trials(
           files, identity_, target_.engine().place().name,
           {command_, 0, data::identity_text(store.identity())}, by_method, drafting))
    paths.push_back(path.string());
  for (data::Journal& one : journals_) one.remove();
  if (!options_.quiet) print_log("written to {}\n", fmt::join(paths, ", "));
}

}  // namespace outrider::calibrate
