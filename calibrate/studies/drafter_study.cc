#include "calibrate/studies/drafter_study.h"

#include <fmt/ranges.h>

#include <utility>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/traced_answers.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/methods/find_pair_counts.h"

namespace outrider::calibrate {

DrafterStudy::DrafterStudy(inference::Target& target, const DrafterStudyOptions& options,
                           std::string command, std::string method, Watch& watch)
    : target_(target),
      options_(options),
      command_(std::move(command)),
      method_(std::move(method)),
      watch_(watch),
      identity_(artifacts::identity_of(target.model())),
      known_(options.files.known(identity_, watch)) {}

methods::MethodTarget DrafterStudy::for_methods() {
  return {target_.model(), target_.engine(), options_.files.folders};
}

std::filesystem::path DrafterStudy::artifact() const {
  return options_.files.file_of(identity_, artifacts::trials_group(method_, named()));
}

std::shared_ptr<const methods::LoadedDraft> DrafterStudy::load(std::optional<int> threads) {
  draft_ = options_.draft;
  std::string artifacts = options_.files.to_read(identity_);
  auto loaded =
      methods::load_draft(for_methods(), draft_, artifacts, threads, options_.draft_vocab);
  if (hash_.empty()) hash_ = methods::draft_identity(draft_, *loaded->model);
  return loaded;
}

std::shared_ptr<const methods::LoadedParallelSpec> DrafterStudy::load_parallelspec(
    draft::ParallelSpecModel::Flavour flavour, std::optional<int> threads) {
  draft_ = options_.draft;
  std::string artifacts = options_.files.to_read(identity_);
  methods::resolve_draft_threads(for_methods(), threads);
  auto loaded = methods::load_parallelspec(for_methods(), flavour, draft_, artifacts, *threads);
  if (hash_.empty())
    hash_ = artifacts::group_hash(artifacts::ArtifactFile(draft_),
                                  artifacts::parallelspec_group(flavour));
  return loaded;
}

draft::PairWeights DrafterStudy::pair_weights(std::optional<double> weight) {
  return methods::find_pair_weights(for_methods(), options_.files.to_read(identity_), weight);
}

std::vector<Answer> DrafterStudy::read_answers() {
  StudyFiles files = options_.files;
  files.artifact = artifact();
  share_ = files.share(watch_);
  const data::TraceStore store = open_traces(options_.data, target_);
  traces_ = data::identity_text(store.identity());
  return read_traced_answers(store, options_.limit);
}

cost::DraftingCost DrafterStudy::untimed() const {
  const engine::Engine& engine = target_.engine();
  return {.drafter = hash_,
          .numerics = engine.numerics_name(),
          .isa = engine.place().unit,
          .threads = engine.workers()};
}

PassCosts DrafterStudy::costs(int most_rows, int context) {
  return pass_costs(target_.engine(), known_, most_rows, context);
}

data::Journal& DrafterStudy::journal(const std::string& part, const std::vector<Answer>& answers,
                                     const std::string& settings, std::size_t entries) {
  return journals_.emplace_back(journal_of(artifact(), part, target_, answers,
                                           settings + ", drafter " + hash_, share_, entries));
}

void DrafterStudy::write_trials(const std::map<std::string, cost::Trials>& by_method,
                                const cost::DraftingCost& drafting) {
  std::vector<std::string> paths;
  for (const auto& path : calibrate::write_trials(options_.files, identity_,
                                                  {command_, target_.engine().place(), 0, traces_},
                                                  by_method, drafting, named()))
    paths.push_back(path.string());
  for (data::Journal& one : journals_) one.remove();
  watch_.inform(fmt::format("written to {}", fmt::join(paths, ", ")));
}

}  // namespace outrider::calibrate
