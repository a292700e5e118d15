#include "runtime/methods/calibrated_draft.h"

#include <filesystem>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/engine/machine.h"

namespace outrider::methods {
namespace {

class DraftSettingsSearch {
 public:
  DraftSettingsSearch(const MethodTarget& target, const std::string& draft,
                      const std::string& artifacts)
      : temperature_(target.temperature()), draft_(draft) {
    const std::string& named = artifacts.empty() ? draft : artifacts;
    known_ = target.load_once<artifacts::ArtifactSet>(
        named, [&] { return artifacts::ArtifactSet(target.identity(), named); });
  }

  std::optional<CalibratedDraft> search() {
    const std::string here = artifacts::draft_settings_group(engine::machine_name());
    if (auto found = read(here)) {
      found->this_machine = true;
      return found;
    }
    std::optional<CalibratedDraft> shortest;
    for (const std::string& group : known_->groups()) {
      if (group == here || !group.starts_with(std::string(artifacts::kDraftSettings) + "/"))
        continue;
      auto found = read(group);
      if (found && (!shortest || drafted(*found) < drafted(*shortest))) shortest = std::move(found);
    }
    return shortest;
  }

 private:
  double drafted(const CalibratedDraft& found) const {
    return found.settings.nearest(temperature_).best().drafted_per_round;
  }

  /// Of this draft model only.
  std::optional<CalibratedDraft> read(const std::string& group) {
    const artifacts::ArtifactFile* file = known_->with(group);
    if (file == nullptr) return std::nullopt;
    CalibratedDraft found;
    found.settings = artifacts::read_draft_settings(file->reader(), group);
    found.file = file->reader().name();
    if (hash_.empty()) hash_ = artifacts::draft_hash(artifacts::ArtifactFile(draft_));
    if (found.settings.draft != hash_) return std::nullopt;
    return found;
  }

  double temperature_;
  std::filesystem::path draft_;
  std::shared_ptr<const artifacts::ArtifactSet> known_;
  std::string hash_;  // of the draft model; empty: not read yet
};

}  // namespace

std::optional<CalibratedDraft> find_calibrated_draft(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts) {
  if (std::filesystem::path(draft).extension() != ".h5") return std::nullopt;
  return DraftSettingsSearch(target, draft, artifacts).search();
}

}  // namespace outrider::methods
