#include "calibrate/studies/stop_policies.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/trained_disco.h"

namespace outrider::calibrate {
namespace {

constexpr double kOracleLength = 256;  // tokens of a round at most

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
  if (disco->machine != target.engine().place().name) return std::nullopt;
  return disco->nearest(target.temperature());
}

/// The rounds of a policy that were chosen; nothing where they are left to the method.
cost::SettingValues rounds_of(const std::optional<artifacts::TrainedStop>& found,
                              const std::string& policy) {
  return found ? found->chosen.at(policy) : cost::SettingValues();
}

/// @param chosen  its length and threshold, where they are not left to the method
methods::ResolvedSsd resolved_with(methods::Ssd ssd, const std::string& stop,
                                   const cost::SettingValues& chosen,
                                   const methods::MethodTarget& target) {
  ssd.settings.stop = stop;
  if (!draft::has_classifier(stop)) ssd.settings.disco_set.clear();
  const double length = cost::number_of(chosen, "draft-length"),
               threshold = cost::number_of(chosen, "draft-threshold");
  if (length > 0) ssd.settings.draft_length = static_cast<int>(length);
  if (threshold > 0) ssd.settings.threshold = threshold;
  return ssd.resolve(target);
}

study::StudiedPolicy policy_of(const std::string& name, const methods::ResolvedSsd& resolved) {
  return {name, settings_text(resolved), [resolved] { return resolved.new_drafter(); }};
}

}  // namespace

StopPolicies stop_policies(const methods::Ssd& given, const methods::MethodTarget& target) {
  const auto published = tuned(given, draft::kDiscoStop, target);
  const auto best = tuned(given, draft::kClassifierStop, target);
  StopPolicies all;
  const auto add = [&](const std::string& name, const std::string& stop,
                       const cost::SettingValues& chosen) {
    const methods::ResolvedSsd resolved = resolved_with(given, stop, chosen, target);
    if (all.policies.empty()) all.first = resolved;
    all.policies.push_back(policy_of(name, resolved));
    all.policies.back().evaluation.emplace(draft::make_stop_policy(resolved.stop),
                                           resolved.options.longest);
  };
  add("static-5", "static", {{"draft-length", 5.0}});
  add("static-opt", "static", rounds_of(best, "static"));
  add("heuristic", "heuristic", {});
  for (const char* policy : {"confidence", "path"}) add(policy, policy, rounds_of(best, policy));
  add(draft::kDiscoStop, draft::kDiscoStop, rounds_of(published, draft::kClassifierStop));
  add(draft::kClassifierStop, draft::kClassifierStop, rounds_of(best, draft::kClassifierStop));
  // By rejection, texts would depend on the plain one that the oracle knows.
  if (given.settings.verify == "coupled")
    all.policies.push_back(policy_of(
        "oracle", resolved_with(given, "static", {{"draft-length", kOracleLength}}, target)));
  return all;
}

}  // namespace outrider::calibrate
