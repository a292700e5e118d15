#include "calibrate/commands/draft_calibration.h"

#include <fmt/ranges.h>

#include <utility>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/answers.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallel.h"
#include "runtime/artifacts/trials.h"
#include "runtime/base/log.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/methods/find_following.h"

namespace outrider::calibrate {

void declare_draft_calibration_flags(cli::CommandOptions& command,
                                     DraftCalibrationOptions& options) {
  declare_draft_calibration_flags(
      command, options,
      "The draft model: a GGUF file, a Hugging Face folder or an artifact file; what is found is "
      "used where decoding is given the same (default: that of the artifacts)");
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
      .brief("Another draft model than that of the artifacts");
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
                                   std::string method)
    : options_(options),
      command_(std::move(command)),
      method_(std::move(method)),
      watch_(command_, options.result.limit, options.quiet),
      target_(target_of_traces(options.target, options.data, options.quiet)),
      identity_(artifacts::identity_of(target_.model())),
      known_(known_artifacts(options.result, identity_)) {}

methods::MethodTarget DraftCalibration::for_methods() {
  return {target_.model(), target_.engine(), options_.result.folders};
}

std::filesystem::path DraftCalibration::result() const {
  return result_file(options_.result, identity_, artifacts::trials_group(method_, named()));
}

std::shared_ptr<const methods::LoadedDraft> DraftCalibration::load(std::optional<int> threads) {
  draft_ = options_.draft;
  std::string artifacts = artifacts_to_read(options_.result, identity_);
  auto loaded = methods::load_draft(for_methods(), draft_, artifacts, threads);
  if (hash_.empty()) hash_ = methods::draft_identity(draft_, *loaded->model);
  return loaded;
}

std::shared_ptr<const methods::LoadedParallel> DraftCalibration::load_parallel(
    draft::ParallelModel::Flavour flavour, std::optional<int> threads) {
  draft_ = options_.draft;
  std::string artifacts = artifacts_to_read(options_.result, identity_);
  methods::resolve_draft_threads(for_methods(), threads);
  auto loaded = methods::load_parallel(for_methods(), flavour, draft_, artifacts, *threads);
  if (hash_.empty())
    hash_ =
        artifacts::group_hash(artifacts::ArtifactFile(draft_), artifacts::parallel_group(flavour));
  return loaded;
}

draft::Following DraftCalibration::following(std::optional<double> weight) {
  return methods::find_following(for_methods(), artifacts_to_read(options_.result, identity_),
                                 weight);
}

data::TraceStore DraftCalibration::open_traces() {
  share_ = share_of(options_.result, result(), options_.quiet);
  return calibrate::open_traces(options_.data, target_);
}

cost::DraftingCost DraftCalibration::untimed() const {
  const engine::Engine& engine = target_.engine();
  return {.drafter = hash_,
          .numerics = engine.numerics_name(),
          .isa = engine.place().unit,
          .threads = engine.workers()};
}

PassCosts DraftCalibration::costs(int most_rows, int context) {
  return pass_costs(target_.engine(), known_, most_rows, context);
}

data::Journal& DraftCalibration::journal(const std::string& part,
                                         const std::vector<Answer>& answers,
                                         const std::string& settings, std::size_t entries) {
  return journals_.emplace_back(journal_of(result(), part, target_, answers,
                                           settings + ", drafter " + hash_, share_, entries));
}

void DraftCalibration::write_trials(const data::TraceStore& store,
                                    const std::map<std::string, cost::Trials>& by_method,
                                    const cost::DraftingCost& drafting) {
  std::vector<std::string> paths;
  for (const auto& path : calibrate::write_trials(
           files_of(options_.result, {}), identity_, target_.engine().place().name,
           {command_, 0, data::identity_text(store.identity())}, by_method, drafting, named()))
    paths.push_back(path.string());
  for (data::Journal& one : journals_) one.remove();
  if (!options_.quiet) print_log("written to {}\n", fmt::join(paths, ", "));
}

}  // namespace outrider::calibrate
