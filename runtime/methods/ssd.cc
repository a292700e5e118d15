#include "runtime/methods/ssd.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/cost/trials.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated_draft.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/methods/trained_disco.h"

namespace outrider::methods {
namespace {

/// The threshold of Hugging Face's assisted generation.
constexpr double kDraftThreshold = 0.4;

/// @param tried  at least one
template <typename T>
T nearest_tried(const std::vector<T>& tried, double given) {
  return *std::min_element(tried.begin(), tried.end(), [given](T one, T other) {
    return std::abs(one - given) < std::abs(other - given);
  });
}

/// The policy that ends such rounds. @param classifier  as of fastest_rounds
std::string policy_of(const cost::DraftSettings::Cell& rounds, const std::string& classifier) {
  if (rounds.threshold == 0) return "static";
  if (!classifier.empty()) return classifier;
  return rounds.along_path ? "path" : "confidence";
}

/// The fastest of the rounds tried that have the given settings; of a given number the nearest one that was
/// tried. Nothing for a policy that was not tried.
/// @param classifier  the policy of whose classifier thresholds are; empty: of the draft's own probabilities
std::optional<cost::DraftSettings::Cell> fastest_rounds(const cost::DraftSettings& tried,
                                                        const std::string& classifier,
                                                        const SsdSettings& given) {
  std::array<std::vector<double>, 2> thresholds;  // above 0: of tokens, of paths
  for (std::size_t row = 0; row < tried.thresholds.size(); ++row)
    if (tried.thresholds[row] > 0)
      thresholds[tried.is_along_path(row)].push_back(tried.thresholds[row]);
  std::optional<cost::DraftSettings::Cell> fastest;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const auto cell = tried.cell(i);
    const bool fixed = cell.threshold == 0;
    if (!given.stop.empty() && given.stop != policy_of(cell, classifier)) continue;
    if (given.draft_length &&
        cell.draft_length != nearest_tried(tried.draft_lengths, *given.draft_length))
      continue;
    if (given.threshold && !fixed &&
        cell.threshold != nearest_tried(thresholds[cell.along_path], *given.threshold))
      continue;
    if (!fastest || cell.tokens_per_second > fastest->tokens_per_second) fastest = cell;
  }
  return fastest;
}

/// Gives settings without a value those of calibration. A number of threads says little of other machines.
void take_calibrated(const CalibratedDraft& found, double temperature, SsdSettings& use) {
  const cost::MachineDraftSettings& all = found.settings;
  if (const auto rounds = fastest_rounds(all.nearest(temperature), {}, use)) {
    use.stop = policy_of(*rounds, {});
    use.draft_length = use.draft_length.value_or(rounds->draft_length);
    if (rounds->threshold > 0) use.threshold = use.threshold.value_or(rounds->threshold);
  }
  if (found.this_machine && all.draft_threads < all.threads)
    use.draft_threads = use.draft_threads.value_or(all.draft_threads);
}

/// Gives settings without a value those that `train disco` found for the policy in use. @return its classifier
std::shared_ptr<const draft::StopClassifier> take_trained(
    const artifacts::TrainedStop& trained, const std::optional<cost::RoundPrices>& prices,
    SsdSettings& use) {
  const cost::DraftSettings tried =
      prices ? cost::priced(trained.settings, *prices) : trained.settings;
  if (const auto rounds = fastest_rounds(tried, use.stop, use)) {
    use.draft_length = use.draft_length.value_or(rounds->draft_length);
    use.threshold = use.threshold.value_or(rounds->threshold);
  }
  return std::make_shared<const draft::StopClassifier>(trained.classifier);
}

/// Whether the classifier's rounds are predicted to be faster than all that the draft's own probabilities end, by the
/// texts that all were chosen on, and not only as much as measurements do not tell apart.
bool is_faster(const artifacts::TrainedStop& trained, const cost::RoundPrices& prices,
               const SsdSettings& given) {
  if (!trained.confidence || !trained.path) return false;
  const auto speed = [&](const cost::DraftSettings& tried, const std::string& classifier) {
    const auto rounds = fastest_rounds(cost::priced(tried, prices), classifier, given);
    return rounds ? rounds->tokens_per_second : 0;
  };
  return (1 - cost::kAlike) * speed(trained.settings, draft::kClassifierStop) >
         std::max(speed(*trained.confidence, {}), speed(*trained.path, {}));
}

/// The longest text after which the rounds in use are still so many times as fast as plain decoding, with what
/// it takes the draft model to read the text, divided among an answer's tokens.
int most_text(const CalibratedDraft& found, const MethodTarget& target, const SsdSettings& use) {
  constexpr double kAnswer = 256;       // tokens
  constexpr double kReading = 1.0 / 8;  // of a step for each token, since many share a pass
  const int context = target.model().config.context;
  const int window = use.window > 0 ? use.window : context;
  cost::RoundPrices prices = *found.prices;
  int most = 0;
  for (double text = 128;; text *= 1.25) {
    prices.context = std::min(static_cast<int>(text), context);
    const auto at = cost::priced(found.settings.nearest(target.temperature()), prices);
    const auto rounds = fastest_rounds(at, {}, use);
    if (!rounds) return most;
    const double reading =
        std::min(prices.context, window) * prices.step_seconds() * kReading / kAnswer;
    const double seconds = 1 / rounds->tokens_per_second + reading;  // of a token
    if (1 / seconds < use.least_speed_up * at.plain_tokens_per_second) return most;
    most = prices.context;
    if (most == context) return most;
  }
}

// Tokens of a round at most where nothing was calibrated: of rounds of one length, and where a stop policy
// may end them sooner.
constexpr int kStaticLength = 5;
constexpr int kLongest = 16;
constexpr int kOracleLongest = 256;

int usual_length(const std::string& stop) {
  if (stop == "static") return kStaticLength;
  return stop == "oracle" ? kOracleLongest : kLongest;
}

void check_oracle(const SsdSettings& settings) {
  if (settings.stop == "oracle" && settings.verify == "rejection")
    throw InputError(
        "--draft-stop oracle: not with --verify rejection, whose texts would then depend on "
        "the plain text that the oracle knows; expected --verify coupled");
}

void check_window(const SsdSettings& settings) {
  if (settings.window > 0 && settings.stop == "oracle")
    throw InputError(
        "--draft-window: not with --draft-stop oracle, which knows what is accepted after reading "
        "whole texts; expected 0");
}

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
       "the draft's "
       "probabilities falls below it), heuristic (2 tokens later after a draft that was "
       "accepted as a whole, 1 sooner after any other), disco (as published: after a token "
       "whose acceptance is less probable, by the classifier that `train disco` trained on the "
       "paper's inputs, than --draft-threshold), classifier (likewise by one that may also read "
       "which token was drawn and whether the text went on so before, of the token or of the draft "
       "so far, as was "
       "found faster), oracle (before "
       "the first token that will not be accepted, at most 256: a bound for comparison, for which "
       "each text is decoded plainly first); without this flag what `calibrate draft` found, "
       "classifier where `train disco` predicts it to be faster, or static"},
      draft::stop_policy_names(), settings.stop);
  visit_draft_threshold(
      visitor, settings.threshold,
      "with --draft-stop confidence, after a token whose draft probability is "
      "below it, with path after "
      "the token with which their product falls below it, with disco and classifier "
      "after one whose probability of "
      "acceptance, by the classifier, is below it; without this flag what "
      "`calibrate draft` and `train "
      "disco` found, or 0.4");
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
  resolved.settings = settings;
  SsdSettings& use = resolved.settings;
  check_oracle(use);
  check_window(use);
  find_draft(target, use.draft, use.artifacts);
  std::optional<cost::RoundPrices> prices;
  int text = std::numeric_limits<int>::max();
  // The search takes --artifacts as given: settings can be in another file than the draft model.
  if (const auto found = find_calibrated_draft(target, use.draft, settings.artifacts)) {
    take_calibrated(*found, target.temperature(), use);
    resolved.speed_up = found->settings.nearest(target.temperature()).speed_up();
    prices = found->prices;
    if (prices && use.least_speed_up > 0) text = most_text(*found, target, use);
    use.artifacts = found->file;
    resolved.step_share = found->settings.c();
  }
  resolved.draft = load_draft(target, use.draft, use.artifacts, use.draft_threads, use.draft_vocab);
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
    if (disco && is_faster(disco->nearest(target.temperature()), *prices, settings)) {
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
    resolved.stop.classifier = take_trained(trained, prices, use);
    resolved.stop.along_path = trained.along_path();
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
  if (use.stop == "oracle")
    resolved.options.known_texts = std::make_shared<draft::KnownTexts>(
        engine_of(resolved.draft),
        draft::DraftVocabulary(model.head_tokens, model.config.vocab, target.model().config.vocab));
  return resolved;
}

draft::TellPlainText ResolvedSsd::tell_plain_text() const {
  if (options.known_texts == nullptr) return {};
  return [known = options.known_texts](const draft::DraftContext& text, int prompt) {
    known->know(text, prompt);
  };
}

std::unique_ptr<draft::Drafter> ResolvedSsd::new_drafter() const {
  return std::make_unique<draft::ModelDrafter>(
      engine_of(draft), draft::make_stop_policy(stop, draft->engine->score_kernels()), options);
}

OwnDrafters Ssd::prepare_own(const MethodTarget& target) const {
  const ResolvedSsd resolved = resolve(target);
  auto method = std::make_unique<Ssd>(*this);
  method->settings = resolved.settings;
  return {.resolved = std::move(method),
          .new_drafter = [resolved] { return resolved.new_drafter(); },
          .artifacts = settings.artifacts,
          .speed_up = resolved.speed_up,
          .step_share = resolved.step_share,
          .tell = resolved.tell_plain_text()};
}

std::unique_ptr<Method> new_ssd() { return std::make_unique<Ssd>(); }

}  // namespace outrider::methods
