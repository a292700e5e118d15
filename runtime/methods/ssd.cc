#include "runtime/methods/ssd.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/methods/trained_disco.h"
#include "runtime/methods/trial_settings.h"

namespace outrider::methods {
namespace {

/// The threshold of Hugging Face's assisted generation.
constexpr double kDraftThreshold = 0.4;

/// What was given of a method's rounds.
cost::SettingValues given_rounds(Ssd& method) { return given_of(method, cost::kStopNames); }

/// The fastest of the classifier's rounds with a given length. @param trained  priced
const cost::Trial& best_of_classifier(const artifacts::TrainedStop& trained,
                                      cost::SettingValues given) {
  given["draft-stop"] = draft::kClassifierStop;
  return *trained.trials.best(cost::kStopNames, given, {});
}

/// Gives settings without a value those that `train disco` found for its classifier: the fastest by these prices, else those
/// that it chose. @return the classifier
std::shared_ptr<const draft::StopClassifier> take_trained(
    artifacts::TrainedStop trained, const std::optional<cost::TrialPrices>& prices, Ssd& method) {
  cost::SettingValues rounds = trained.chosen.at(draft::kClassifierStop);
  if (prices) {
    trained.trials.price(*prices);
    rounds = best_of_classifier(trained, given_rounds(method)).settings;
  }
  fill_open(method, rounds, "train disco");
  return std::make_shared<const draft::StopClassifier>(trained.classifier);
}

/// Whether the classifier's rounds are predicted to be faster than all that the draft's own probabilities end, by the
/// texts that all were chosen on, and not only as much as measurements do not tell apart.
bool is_faster(artifacts::TrainedStop trained, const cost::TrialPrices& prices, Ssd& given) {
  trained.trials.price(prices);
  const double speed = best_of_classifier(trained, given_rounds(given)).tokens_per_second;
  std::erase_if(trained.trials.trials, [](const cost::Trial& one) {
    return one.settings.at("draft-stop") == cost::SettingValue(draft::kClassifierStop);
  });
  const cost::Trial* const others = trained.trials.best(cost::kStopNames, given_rounds(given), {});
  return others != nullptr && (1 - cost::kAlike) * speed > others->tokens_per_second;
}

/// The longest text after which the rounds in use are still so many times as fast as plain decoding, with what
/// it takes the draft model to read the text, divided among an answer's tokens.
int most_text(const CalibratedTrials& found, const MethodTarget& target, Ssd& method) {
  constexpr double kAnswer = 256;       // tokens
  constexpr double kReading = 1.0 / 8;  // of a step for each token, since many share a pass
  const SsdSettings& use = method.settings;
  const int context = target.model().config.context;
  const int window = use.window > 0 ? use.window : context;
  cost::TemperatureTrials tried = found.tried;
  int most = 0;
  for (double text = 128;; text *= 1.25) {
    const int tokens = std::min(static_cast<int>(text), context);
    const auto prices =
        cost::TrialPrices::at(tried.temperature, found.passes, tokens, found.drafting);
    tried.price(prices);
    const cost::Trial* const rounds = tried.best(found.names, given_rounds(method), {});
    if (rounds == nullptr) return most;
    const double reading = std::min(tokens, window) * prices.draft_seconds(1) * kReading / kAnswer;
    const double seconds = 1 / rounds->tokens_per_second + reading;  // of a token
    if (1 / seconds < use.least_speed_up * tried.plain_tokens_per_second) return most;
    most = tokens;
    if (most == context) return most;
  }
}

// Tokens of a round at most where nothing was calibrated: of rounds of one length, and where a stop policy
// may end them sooner.
constexpr int kStaticLength = 5;
constexpr int kLongest = 16;

int usual_length(const std::string& stop) { return stop == "static" ? kStaticLength : kLongest; }

}  // namespace

std::string Ssd::summary() const { return "a draft model, token by token"; }

void Ssd::visit_own(SettingVisitor& visitor) {
  visit_draft(visitor, settings.draft);
  visit_draft_length(
      visitor, settings.draft_length,
      fmt::format("{} where nothing was calibrated, {} where --draft-stop may stop earlier",
                  kStaticLength, kLongest));
  visitor.text(
      {"draft-stop",
       "when drafting stops before --draft-length: static (never), confidence (after a token whose "
       "probability is below --draft-threshold), path (after the token with which the product of "
       "the draft's probabilities falls below it), heuristic (2 tokens later after a draft that "
       "was accepted as a whole, 1 sooner after any other), disco (as published: after a token "
       "whose acceptance is less probable, by the classifier that `train disco` trained on the "
       "paper's inputs, than --draft-threshold), classifier (likewise by one that may also read "
       "which token was drawn and whether the text went on so before, of the token or of the draft "
       "so far, as was found faster); without this flag what `calibrate ssd` found, classifier "
       "where `train disco` predicts it to be faster, or static"},
      draft::stop_policy_names(), settings.stop);
  visit_draft_threshold(
      visitor, settings.threshold,
      "with --draft-stop confidence, after a token whose draft probability is below it, with path "
      "after the token with which their product falls below it, with disco and classifier after "
      "one whose probability of acceptance, by the classifier, is below it; without this flag what "
      "`calibrate ssd` and `train disco` found, or 0.4");
  visitor.text({"disco-set",
                "with --draft-stop disco or classifier, what `train disco --set NAME` trained; "
                "without this flag that for all texts",
                "NAME"},
               {}, settings.disco_set);
  visit_draft_vocab(visitor, settings.draft_vocab);
  visit_draft_threads(visitor, settings.draft_threads);
  visitor.whole(
      {"draft-window", "the draft model reads so many of a prompt's last tokens only, 0: all"},
      {0, 1 << 20}, settings.window);
  visit_verify(visitor, settings.verify);
}

ResolvedSsd Ssd::resolve(const MethodTarget& target) const {
  ResolvedSsd resolved;
  Ssd method(*this);
  SsdSettings& use = method.settings;
  find_draft(target, use.draft, use.artifacts);
  std::optional<cost::TrialPrices> prices;  // this machine's, where they are known
  int text = std::numeric_limits<int>::max();
  // The search takes --artifacts as given: settings can be in another file than the draft model.
  if (const auto found = find_calibrated_trials(
          target,
          draft_model_to_find(target, name(), use.draft, settings.artifacts, use.draft_vocab))) {
    found->take(method, use.draft_threads, nullptr);
    resolved.speed_up = found->tried.speed_up(*found->tried.best(found->names, {}, {}));
    if (found->this_machine)
      prices = cost::TrialPrices::at(found->tried.temperature, found->passes, found->context,
                                     found->drafting);
    if (prices && use.least_speed_up > 0) text = most_text(*found, target, method);
    use.artifacts = found->file;
    resolved.step_share = found->drafting.share_of(1);
  }
  // So are the counts by which the head of a draft model from a file is trimmed.
  std::string artifacts = settings.artifacts;
  resolved.draft = load_draft(target, use.draft, artifacts, use.draft_threads, use.draft_vocab);
  const model::Model& model = *resolved.draft->model;
  use.draft_vocab = resolved.draft->vocab();
  if (use.disco_set.empty()) use.disco_set = artifacts::kAllTexts;
  std::shared_ptr<const artifacts::TrainedDisco> disco;
  if (draft::has_classifier(use.stop)) {
    disco =
        find_trained_disco(target, use.stop, use.disco_set, use.draft, model, settings.artifacts);
  } else if (settings.stop.empty() && !settings.threshold && use.window == 0 &&
             use.verify == "coupled" && prices) {
    // Its classifiers were trained on drafts after whole texts, verified with the target's noise.
    disco = find_usual_stop(target, use.draft, model, settings.artifacts);
    Ssd given(*this);
    if (disco && is_faster(disco->nearest(target.temperature()), *prices, given)) {
      use.stop = draft::kClassifierStop;
      use.draft_length = settings.draft_length;
      use.threshold.reset();
    } else {
      disco.reset();
    }
  }
  if (disco) {
    const artifacts::TrainedStop& trained = disco->nearest(target.temperature());
    resolved.label = trained.label;
    resolved.stop.classifier = take_trained(trained, prices, method);
    resolved.stop.along_path = trained.along_path;
  }
  if (use.stop.empty()) use.stop = "static";
  if (!settings.disco_set.empty() && !draft::has_classifier(use.stop))
    throw InputError("--disco-set: only with --draft-stop disco or classifier, found " + use.stop);
  if (settings.threshold && !draft::has_threshold(use.stop))
    throw InputError("--draft-threshold: not used by --draft-stop " + use.stop +
                     ", only by confidence, path, disco and classifier");
  use.draft_length = use.draft_length.value_or(usual_length(use.stop));
  resolve_fixed_length(use.draft_length);
  use.threshold = use.threshold.value_or(kDraftThreshold);
  resolved.stop.policy = use.stop;
  resolved.stop.longest = *use.draft_length;
  resolved.stop.threshold = *use.threshold;
  resolved.options = {.longest = *use.draft_length,
                      .most_text = text,
                      .window = use.window > 0 ? use.window : std::numeric_limits<int>::max(),
                      .verification = verification(use.verify),
                      .target_vocab = target.model().config.vocab,
                      .head_tokens = model.head_tokens};
  resolved.settings = use;
  return resolved;
}

std::unique_ptr<draft::Drafter> ResolvedSsd::new_drafter() const {
  return std::make_unique<draft::ModelDrafter>(engine_of(draft), draft::make_stop_policy(stop),
                                               options);
}

OwnDrafters Ssd::prepare_own(const MethodTarget& target) const {
  const ResolvedSsd resolved = resolve(target);
  auto method = std::make_unique<Ssd>(*this);
  method->settings = resolved.settings;
  return {.resolved = std::move(method),
          .new_drafter = [resolved] { return resolved.new_drafter(); },
          .artifacts = settings.artifacts,
          .speed_up = resolved.speed_up,
          .step_share = resolved.step_share};
}

std::unique_ptr<Method> new_ssd() { return std::make_unique<Ssd>(); }

}  // namespace outrider::methods
