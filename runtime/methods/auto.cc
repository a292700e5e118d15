#include <algorithm>
#include <optional>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/methods/calibrated_draft.h"
#include "runtime/methods/list.h"
#include "runtime/methods/pld.h"
#include "runtime/methods/settings.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/methods/ssd.h"

namespace outrider::methods {
namespace {

/// Below it a draft model is left out: tasks differ by more.
constexpr double kLeastDraftSpeedUp = 1.1;

struct AutoSettings {
  std::optional<int> draft_length;  // nothing: as the method chosen has it
  std::string artifacts;
};

/// Predicted speed over plain decoding with the settings that the method would use.
double speed_up(const std::vector<draft::PldPlusSettings>& all, double temperature) {
  const draft::PldPlusSettings& found = draft::nearest_settings(all, temperature);
  if (found.tokens_per_second.empty() || !(found.plain_tokens_per_second > 0)) return 0;
  const double fixed =
      *std::max_element(found.tokens_per_second.begin(), found.tokens_per_second.end());
  // Lengths by step were compared on half of the answers only, so what they gain is a ratio.
  const bool by_step = found.by_step && found.by_step->fixed_tokens_per_second > 0;
  const double gain =
      by_step ? found.by_step->tokens_per_second / found.by_step->fixed_tokens_per_second : 1;
  return fixed / found.plain_tokens_per_second * std::max(1.0, gain);
}

/// The method that calibration found fastest at the target's temperature: the draft model, copying first,
/// where it was found to be faster than plain decoding on this machine; or prompt lookup with short
/// drafts where nothing was calibrated. N-Grammys is left out: its grid does not tell temperatures apart.
class Auto : public Method {
 public:
  std::string name() const override { return "auto"; }
  std::string summary() const override {
    return "the method that calibration found fastest at the temperature: ssd with --copy-first if "
           "its draft model is faster than plain decoding on this machine; pld with drafts of 4 "
           "if nothing was calibrated";
  }
  Capabilities capabilities() const override { return {.copies = true}; }

  void visit(SettingVisitor& visitor) override {
    visit_draft_length(visitor, settings.draft_length);
    visit_artifacts(visitor, settings.artifacts);
  }

  PreparedMethod prepare(const MethodTarget& target) const override {
    const std::string fastest = fastest_for(target);
    if (fastest == "ssd") {
      Ssd with_model;
      with_model.settings.draft_length = settings.draft_length;
      with_model.settings.artifacts = settings.artifacts;
      with_model.settings.copy_first.on = true;
      return with_model.prepare(target);
    }
    if (fastest == "ar") return new_method("ar")->prepare(target);
    if (fastest == "pld") {
      Pld lookup;
      lookup.settings.draft_length = settings.draft_length;
      return lookup.prepare(target);
    }
    const auto method = new_method(fastest);
    if (settings.draft_length) fill_in(*method, "draft-length", *settings.draft_length);
    fill_in(*method, "artifacts", settings.artifacts);
    return method->prepare(target);
  }

  AutoSettings settings;

 private:
  /// Of the artifacts' draft model over plain decoding, if measured on this machine; 0 if not.
  double draft_speed_up(const MethodTarget& target, const artifacts::ArtifactSet& known) const {
    const artifacts::ArtifactFile* file = known.with(artifacts::kDraft);
    if (file == nullptr || settings.draft_length == 0) return 0;
    const auto found = find_calibrated_draft(target, file->reader().name(), settings.artifacts);
    if (!found || !found->this_machine) return 0;
    return found->settings.nearest(target.temperature()).speed_up();
  }

  std::string fastest_for(const MethodTarget& target) const {
    std::string fastest = "pld";
    double most = 0;
    const auto consider = [&](const std::string& name, double speed) {
      if (speed <= most) return;
      most = speed;
      fastest = speed < 1 ? "ar" : name;
    };
    const auto known = target.load_once<artifacts::ArtifactSet>(settings.artifacts, [&] {
      return artifacts::ArtifactSet(target.identity(), settings.artifacts);
    });
    // A copy is drafted first only where it is expected to be faster than the draft model, so that
    // copies alone are not expected to be faster than both.
    if (draft_speed_up(target, *known) >= kLeastDraftSpeedUp) return "ssd";
    if (const auto* file = known->with(artifacts::kPldPlusLayer))
      consider(
          "pld-plus-h",
          speed_up(
              artifacts::read_pld_plus_layer(file->reader(), artifacts::kPldPlusLayer).settings,
              target.temperature()));
    if (const auto* file = known->with(artifacts::kPldPlusHeads))
      consider(
          "pld-plus-a",
          speed_up(
              artifacts::read_pld_plus_heads(file->reader(), artifacts::kPldPlusHeads).settings,
              target.temperature()));
    return fastest;
  }
};

}  // namespace

std::unique_ptr<Method> new_auto() { return std::make_unique<Auto>(); }

}  // namespace outrider::methods
