#include "calibrate/studies/stop_policies.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/trained_disco.h"

namespace outrider::calibrate {
namespace {

using Cell = cost::DraftSettings::Cell;
constexpr Cell kUntuned = {};

/// Length and threshold; of a classifier also how much it reads, what the threshold is of, and its labels.
std::string settings_text(const methods::ResolvedSsd& resolved) {
  const methods::SsdSettings& settings = resolved.settings;
  std::string text = fmt::format("--draft-length {}", *settings.draft_length);
  if (draft::has_threshold(settings.stop))
    text += fmt::format(" --draft-threshold {:.2f}", *settings.threshold);
  if (resolved.stop.classifier)
    text += fmt::format(", {} inputs, {}, {} labels", resolved.stop.classifier->inputs_read(),
                        resolved.stop.along_path ? "product of C_i" : "C_i", resolved.label);
  return text;
}

/// What `train disco` chose for a policy, where it was on this machine.
std::optional<artifacts::TrainedStop> tuned(const methods::Ssd& given, const std::string& stop,
                                            const methods::MethodTarget& target) {
  methods::Ssd ssd = given;
  ssd.settings.stop = stop;
  const methods::ResolvedSsd resolved = ssd.resolve(target);
  const auto disco = methods::find_trained_disco(target, stop, resolved.settings.disco_set,
                                                 resolved.settings.draft, *resolved.draft->model,
                                                 given.settings.artifacts);
  const artifacts::TrainedStop& found = disco->nearest(target.temperature());
  if (disco->machine != target.engine().place().name || !found.confidence || !found.path)
    return std::nullopt;
  return found;
}

/// @param chosen  its length, and its threshold above 0, where they are not left to the method
methods::ResolvedSsd resolved_with(methods::Ssd ssd, const std::string& stop, const Cell& chosen,
                                   const methods::MethodTarget& target) {
  ssd.settings.stop = stop;
  if (!draft::has_classifier(stop)) ssd.settings.disco_set.clear();
  if (chosen.draft_length > 0) ssd.settings.draft_length = chosen.draft_length;
  if (chosen.threshold > 0) ssd.settings.threshold = chosen.threshold;
  return ssd.resolve(target);
}

study::StudiedPolicy policy_of(const std::string& name, const methods::ResolvedSsd& resolved) {
  study::StudiedPolicy policy = {name, settings_text(resolved),
                                 [resolved] { return resolved.new_drafter(); }};
  if (resolved.settings.stop != "oracle")
    policy.evaluation.emplace(
        draft::make_stop_policy(resolved.stop, resolved.draft->engine->score_kernels()),
        resolved.options.longest);
  policy.tell = resolved.tell_plain_text();
  return policy;
}

}  // namespace

StopPolicies stop_policies(const methods::Ssd& given, const methods::MethodTarget& target) {
  const auto published = tuned(given, draft::kDiscoStop, target);
  const auto best = tuned(given, draft::kClassifierStop, target);
  StopPolicies all;
  const auto add = [&](const std::string& name, const std::string& stop, const Cell& chosen) {
    const methods::ResolvedSsd resolved = resolved_with(given, stop, chosen, target);
    if (all.policies.empty()) all.first = resolved;
    all.policies.push_back(policy_of(name, resolved));
  };
  add("static-5", "static", {.draft_length = 5});
  add("static-opt", "static", best ? best->confidence->best_fixed() : kUntuned);
  add("heuristic", "heuristic", kUntuned);
  add("confidence", "confidence", best ? best->confidence->best_stopped() : kUntuned);
  add("path", "path", best ? best->path->best_stopped() : kUntuned);
  add(draft::kDiscoStop, draft::kDiscoStop,
      published ? published->settings.best_stopped() : kUntuned);
  add(draft::kClassifierStop, draft::kClassifierStop,
      best ? best->settings.best_stopped() : kUntuned);
  if (given.settings.verify == "coupled") add("oracle", "oracle", kUntuned);
  return all;
}

}  // namespace outrider::calibrate
