#include "runtime/methods/ssd.h"

#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// That of Hugging Face's assisted generation.
constexpr double kDraftThreshold = 0.4;

}  // namespace

std::string Ssd::summary() const { return "a draft model of its own, token by token"; }

void Ssd::visit(SettingVisitor& visitor) {
  visitor.text(
      {"draft",
       "the draft model: a GGUF file or a Hugging Face folder with the target's tokens, or an "
       "artifact file (*.h5); without this flag the one that `train draft` made",
       "FILE"},
      {}, settings.draft);
  visit_draft_length(visitor, settings.draft_length);
  visitor.text(
      {"draft-stop",
       "when drafting stops before --draft-length: static (never), confidence (after a token whose "
       "probability is below --draft-threshold), heuristic (2 tokens later after a draft that was "
       "accepted as a whole, 1 sooner after any other)"},
      draft::stop_policy_names(), settings.stop);
  visitor.real(
      {"draft-threshold",
       "the least probability, by the draft model, with which --draft-stop confidence goes "
       "on; without this flag 0.4"},
      {0, 1}, settings.threshold);
  visitor.whole({"draft-threads",
                 "threads of the draft model: 1, which can be faster for a small one, or, without "
                 "this flag, the target's"},
                {1, engine::kMostThreads}, settings.draft_threads);
  visitor.text({"verify",
                "coupled: the draft draws with the target's noise, and the text is that of plain "
                "decoding; rejection: as published, with noise of its own, and only the "
                "distribution of texts is"},
               {"coupled", "rejection"}, settings.verify);
  visit_artifacts(visitor, settings.artifacts);
}

PreparedMethod Ssd::prepare(const MethodTarget& target) const {
  Ssd resolved = *this;
  SsdSettings& use = resolved.settings;
  use.draft_length = use.draft_length.value_or(use.stop == "static" ? kSsdLength : kSsdLongest);
  resolve_fixed_length(use.draft_length);
  use.threshold = use.threshold.value_or(kDraftThreshold);
  const auto loaded = load_draft(target, use.draft, use.artifacts, use.draft_threads);
  const draft::StopOptions stop = {use.stop, *use.draft_length, *use.threshold};
  const draft::ModelDrafterOptions options = {.longest = *use.draft_length,
                                              .verification = use.verify == "rejection"
                                                                  ? draft::Verification::kRejection
                                                                  : draft::Verification::kCoupled,
                                              .target_vocab = target.model().config.vocab,
                                              .head_tokens = loaded->model->head_tokens};
  return {resolved, [engine = engine_of(loaded), stop, options] {
            return std::make_unique<draft::ModelDrafter>(engine, draft::make_stop_policy(stop),
                                                         options);
          }};
}

std::unique_ptr<Method> new_ssd() { return std::make_unique<Ssd>(); }

}  // namespace outrider::methods
