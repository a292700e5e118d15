#include "runtime/artifacts/disco.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::artifacts {
namespace {

using draft::StopClassifier;

constexpr std::size_t kMostStopText = 256;
constexpr std::uint64_t kMostBins = 1000;
constexpr const char *kConfidence = "confidence/", *kPath = "path/";
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
  for (const float one : numbers)
    if (!std::isfinite(one)) file.refuse(path, "holds what is no number");
  std::copy(numbers.begin(), numbers.end(), weights.begin());
}

/// Reads the hidden layer's weights; older files have those of fewer inputs.
void read_hidden(const hdf5::Reader& file, const std::string& path, StopClassifier& classifier) {
  constexpr std::uint64_t kHidden = StopClassifier::kHidden, kInputs = StopClassifier::kInputs;
  const hdf5::Dims dims = file.info(path).dims;
  std::uint64_t inputs = kInputs;
  constexpr std::uint64_t kFewer[] = {StopClassifier::kPaperInputs, StopClassifier::kDrawnInputs};
  for (const std::uint64_t fewer : kFewer)
    if (dims == hdf5::Dims{kHidden, fewer}) inputs = fewer;
  std::vector<float> hidden(kHidden * inputs);
  read_weights(file, path, {kHidden, inputs}, hidden);
  for (std::size_t i = 0; i < hidden.size(); ++i)
    classifier.hidden[i / inputs * kInputs + i % inputs] = hidden[i];
}

StopClassifier read_classifier(const hdf5::Reader& file, const std::string& prefix) {
  constexpr std::uint64_t kHidden = StopClassifier::kHidden;
  StopClassifier classifier;
  classifier.position_scale = file.read_number<float>(prefix + "position_scale");
  if (!(classifier.position_scale >= 1e-6F && classifier.position_scale <= 1e9F))
    file.refuse(prefix + "position_scale",
                fmt::format("expected a number of tokens, found {}", classifier.position_scale));
  read_hidden(file, prefix + "hidden", classifier);
  read_weights(file, prefix + "hidden_bias", {kHidden}, classifier.hidden_bias);
  read_weights(file, prefix + "output", {kHidden}, classifier.output);
  std::array<float, 1> bias = {};
  read_weights(file, prefix + "output_bias", {}, bias);
  classifier.output_bias = bias[0];
  return classifier;
}

/// Files from before there were two rules have that of a token.
bool read_along_path(const hdf5::Reader& file, const std::string& path) {
  if (!file.has(path)) return false;
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

std::optional<cost::DraftSettings> read_own_curves(const hdf5::Reader& file,
                                                   const std::string& prefix) {
  if (!file.has(prefix + "thresholds")) return std::nullopt;
  return read_draft_curves(file, prefix);
}

void write_stop(const TrainedStop& stop, hdf5::Writer& file, const std::string& prefix) {
  write_classifier(stop.classifier, file, prefix + "classifier/");
  file.add_text(prefix + "label", stop.label);
  file.add_text(prefix + "rule", stop.along_path() ? kAlongPath : kOfToken);
  write_draft_curves(stop.settings, file, prefix);
  if (stop.confidence) write_draft_curves(*stop.confidence, file, prefix + kConfidence);
  if (stop.path) write_draft_curves(*stop.path, file, prefix + kPath);
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
  stop.settings = read_draft_curves(file, prefix);
  stop.settings.along_path.assign(stop.settings.thresholds.size(),
                                  read_along_path(file, prefix + "rule"));
  stop.confidence = read_own_curves(file, prefix + kConfidence);
  stop.path = read_own_curves(file, prefix + kPath);
  if (stop.path) stop.path->along_path.assign(stop.path->thresholds.size(), 1);
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
  return sampling::nearest_temperature(by_temperature, temperature, [](const TrainedStop& stop) {
    return stop.settings.temperature;
  });
}

bool TrainedDisco::is_published() const {
  return std::all_of(by_temperature.begin(), by_temperature.end(),
                     [](const TrainedStop& stop) { return stop.is_published(); });
}

std::string stop_group(std::string_view policy, const std::string& set) {
  const std::string of_all = policy == draft::kDiscoStop ? kDisco : kStopClassifier;
  return set == kAllTexts ? of_all : named_group(of_all + "_sets", set);
}

void write_disco(const TrainedDisco& disco, hdf5::Writer& file, const std::string& group) {
  file.add_text(group + "/draft", disco.draft);
  file.add_text(group + "/machine", disco.machine);
  for (std::size_t i = 0; i < disco.by_temperature.size(); ++i)
    write_stop(disco.by_temperature[i], file, temperature_group(group, i) + "/");
}

TrainedDisco read_disco(const hdf5::Reader& file, const std::string& group) {
  TrainedDisco disco;
  disco.draft = file.read_text(group + "/draft", kMostStopText);
  disco.machine = file.read_text(group + "/machine", kMostStopText);
  for (const std::string& one : temperature_groups(file, group))
    disco.by_temperature.push_back(read_stop(file, one + "/"));
  return disco;
}

}  // namespace outrider::artifacts
