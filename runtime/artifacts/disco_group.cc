#include "runtime/artifacts/disco_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::artifacts {
namespace {

using draft::StopClassifier;

constexpr std::size_t kMostStopText = 256;
constexpr std::uint64_t kMostBins = 1000;
constexpr const char* kChosen = "chosen/";
constexpr const char* kSets = "_sets";
constexpr const char *kOfToken = "token", *kAlongPath = "path";

void write_classifier(const StopClassifier& classifier, hdf5::Writer& file,
                      const std::string& prefix) {
  constexpr std::uint64_t kHidden = StopClassifier::kHidden, kInputs = StopClassifier::kInputs;
  const auto add = [&](const char* name, const hdf5::Dims& dims, std::span<const float> numbers) {
    file.add<float>(prefix + name, dims, numbers, hdf5::Packing::kPlain);
  };
  file.add_number<float>(prefix + "position_scale", classifier.position_scale);
  add("hidden", {kHidden, kInputs}, classifier.hidden);
  add("hidden_bias", {kHidden}, classifier.hidden_bias);
  add("output", {kHidden}, classifier.output);
  file.add_number<float>(prefix + "output_bias", classifier.output_bias);
}

/// Weights that are all finite.
void read_weights(const hdf5::Reader& file, const std::string& path, const hdf5::Dims& dims,
                  std::span<float> weights) {
  const std::vector<float> numbers = file.read<float>(path, dims);
  check_finite(file, path, numbers);
  std::copy(numbers.begin(), numbers.end(), weights.begin());
}

StopClassifier read_classifier(const hdf5::Reader& file, const std::string& prefix) {
  constexpr std::uint64_t kHidden = StopClassifier::kHidden, kInputs = StopClassifier::kInputs;
  StopClassifier classifier;
  classifier.position_scale = file.read_number<float>(prefix + "position_scale");
  if (!(classifier.position_scale >= 1e-6F && classifier.position_scale <= 1e9F))
    file.refuse(prefix + "position_scale",
                fmt::format("expected a number of tokens, found {}", classifier.position_scale));
  read_weights(file, prefix + "hidden", {kHidden, kInputs}, classifier.hidden);
  read_weights(file, prefix + "hidden_bias", {kHidden}, classifier.hidden_bias);
  read_weights(file, prefix + "output", {kHidden}, classifier.output);
  std::array<float, 1> bias = {};
  read_weights(file, prefix + "output_bias", {}, bias);
  classifier.output_bias = bias[0];
  return classifier;
}

bool read_along_path(const hdf5::Reader& file, const std::string& path) {
  const std::string rule = file.read_text(path, kMostStopText);
  if (rule != kOfToken && rule != kAlongPath)
    file.refuse(path, fmt::format("expected {} or {}, found '{}'", kOfToken, kAlongPath, rule));
  return rule == kAlongPath;
}

double read_share(const hdf5::Reader& file, const std::string& path) {
  const double value = file.read_number<double>(path);
  if (!(value >= 0 && value <= 1))
    file.refuse(path, fmt::format("expected 0 to 1, found {}", value));
  return value;
}

void write_stop(const TrainedStop& stop, hdf5::Writer& file, const std::string& prefix) {
  write_classifier(stop.classifier, file, prefix + "classifier/");
  file.add_text(prefix + "label", stop.label);
  file.add_text(prefix + "rule", stop.along_path ? kAlongPath : kOfToken);
  file.add_number<double>(prefix + "temperature", stop.trials.temperature);
  for (const auto& [policy, rounds] : stop.chosen) {
    const std::string chosen = fmt::format("{}{}{}", prefix, kChosen, policy);
    file.add_number<std::int32_t>(chosen + "/draft_length",
                                  static_cast<int>(cost::number_of(rounds, "draft-length")));
    file.add_number<double>(chosen + "/draft_threshold",
                            cost::number_of(rounds, "draft-threshold"));
  }
  file.add_number<double>(prefix + "auc", stop.auc);
  file.add_number<double>(prefix + "f1", stop.f1);
  const auto add = [&](const char* name, const std::vector<double>& numbers) {
    file.add<double>(prefix + "reliability/" + name, {numbers.size()}, numbers,
                     hdf5::Packing::kPlain);
  };
  add("share", stop.share);
  add("predicted", stop.predicted);
  add("accepted", stop.accepted);
}

TrainedStop read_stop(const hdf5::Reader& file, const std::string& prefix) {
  TrainedStop stop;
  stop.classifier = read_classifier(file, prefix + "classifier/");
  stop.label = file.read_text(prefix + "label", kMostStopText);
  stop.along_path = read_along_path(file, prefix + "rule");
  for (const char* policy : TrainedStop::kPolicies) {
    const std::string chosen = fmt::format("{}{}{}", prefix, kChosen, policy);
    cost::SettingValues& rounds = stop.chosen[policy];
    rounds["draft-length"] = static_cast<double>(read_at_least(file, chosen + "/draft_length", 1));
    if (const double threshold = read_share(file, chosen + "/draft_threshold"); threshold > 0)
      rounds["draft-threshold"] = threshold;
  }
  stop.auc = read_share(file, prefix + "auc");
  stop.f1 = read_share(file, prefix + "f1");
  const std::string reliability = prefix + "reliability/";
  stop.share = read_curve(file, reliability + "share", {hdf5::Reader::kAny});
  const std::uint64_t bins = stop.share.size();
  if (bins < 1 || bins > kMostBins)
    file.refuse(reliability + "share", fmt::format("expected 1 to {} parts", kMostBins));
  stop.predicted = read_curve(file, reliability + "predicted", {bins});
  stop.accepted = read_curve(file, reliability + "accepted", {bins});
  return stop;
}

}  // namespace

const TrainedStop& TrainedDisco::nearest(double temperature) const {
  return sampling::nearest_temperature(
      by_temperature, temperature, [](const TrainedStop& stop) { return stop.trials.temperature; });
}

const cost::Trial& TrainedStop::best(const std::string& policy) const {
  const cost::Trial* const found = trials.best(cost::kStopNames, {{"draft-stop", policy}}, {});
  if (found == nullptr) throw std::logic_error("TrainedStop: no rounds of " + policy);
  return *found;
}

std::string stop_group(std::string_view policy, const std::string& set) {
  const std::string of_all = policy == draft::kDiscoStop ? kDisco : kStopClassifier;
  return set == kAllTexts ? of_all : named_group(of_all + kSets, set);
}

bool is_stop_group(const std::string& group) {
  const std::vector<std::string> all = {kDisco, kStopClassifier};
  return std::any_of(all.begin(), all.end(), [&](const std::string& of_all) {
    return group == of_all || group.starts_with(of_all + kSets + "/");
  });
}

std::string trials_of_stop(const std::string& group) { return group + "/trials"; }

void write_disco(const TrainedDisco& disco, hdf5::Writer& file, const std::string& group) {
  file.add_text(group + "/draft", disco.draft);
  file.add_text(group + "/machine", disco.machine);
  cost::Trials trials = {disco.draft, disco.context, cost::kStopNames, {}};
  for (std::size_t i = 0; i < disco.by_temperature.size(); ++i) {
    write_stop(disco.by_temperature[i], file, temperature_group(group, i) + "/");
    trials.by_temperature.push_back(disco.by_temperature[i].trials);
  }
  write_trials(trials, file, trials_of_stop(group));
}

TrainedDisco read_disco(const hdf5::Reader& file, const std::string& group) {
  check_is_current(file, group, {"/trials/names"});
  TrainedDisco disco;
  disco.draft = file.read_text(group + "/draft", kMostStopText);
  disco.machine = file.read_text(group + "/machine", kMostStopText);
  for (const std::string& one : temperature_groups(file, group))
    disco.by_temperature.push_back(read_stop(file, one + "/"));
  cost::Trials trials = read_trials(file, trials_of_stop(group));
  disco.context = trials.context;
  const std::size_t temperatures = disco.by_temperature.size();
  if (trials.by_temperature.size() != temperatures)
    file.refuse(trials_of_stop(group), fmt::format("expected {} temperatures, found {}",
                                                   temperatures, trials.by_temperature.size()));
  for (std::size_t i = 0; i < temperatures; ++i) {
    cost::TemperatureTrials& one = trials.by_temperature[i];
    for (const char* policy : TrainedStop::kPolicies)
      if (one.best(cost::kStopNames, {{"draft-stop", policy}}, {}) == nullptr)
        file.refuse(trials_of_stop(group), fmt::format("expected trials of {}", policy));
    disco.by_temperature[i].trials = std::move(one);
  }
  return disco;
}

}  // namespace outrider::artifacts
