#include "runtime/artifacts/draft_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "runtime/artifacts/calibrated_pair.h"
#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/temperature_groups.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMostThresholds = 256;
constexpr int kMostDraftLength = 256;

}  // namespace

void write_draft_curves(const cost::DraftSettings& settings, hdf5::Writer& file,
                        const std::string& prefix) {
  file.add_number<double>(prefix + "temperature", settings.temperature);
  file.add_number<double>(prefix + "agreement", settings.agreement);
  file.add_number<double>(prefix + "coverage", settings.coverage);
  file.add_number<double>(prefix + "plain_tokens_per_second", settings.plain_tokens_per_second);
  const hdf5::Dims both = {settings.thresholds.size(), settings.draft_lengths.size()};
  const auto add = [&](const char* name, const hdf5::Dims& dims,
                       const std::vector<double>& numbers) {
    file.add<double>(prefix + name, dims, numbers, hdf5::Packing::kPlain);
  };
  add("thresholds", {both[0]}, settings.thresholds);
  file.add<std::int32_t>(prefix + "draft_lengths", {both[1]}, settings.draft_lengths,
                         hdf5::Packing::kPlain);
  if (!settings.along_path.empty())
    file.add<std::uint8_t>(prefix + "along_path", {both[0]}, settings.along_path,
                           hdf5::Packing::kPlain);
  add("tokens_per_round", both, settings.tokens_per_round);
  add("drafted_per_round", both, settings.drafted_per_round);
  add("tokens_per_second", both, settings.tokens_per_second);
  // For people, and for programs without the rule by which it is chosen.
  file.add_number<std::int32_t>(prefix + "best_length", settings.best().draft_length);
  file.add_number<double>(prefix + "best_threshold", settings.best().threshold);
}

cost::DraftSettings read_draft_curves(const hdf5::Reader& file, const std::string& prefix) {
  cost::DraftSettings settings;
  settings.temperature = read_in(file, prefix + "temperature", 0, 1e9);
  settings.agreement = read_in(file, prefix + "agreement", 0, 1);
  settings.coverage = read_in(file, prefix + "coverage", 0, 1);
  settings.plain_tokens_per_second = read_in(file, prefix + "plain_tokens_per_second", 0, 1e12);
  settings.thresholds = read_curve(file, prefix + "thresholds", {hdf5::Reader::kAny});
  if (settings.thresholds.empty() || settings.thresholds.size() > kMostThresholds ||
      std::any_of(settings.thresholds.begin(), settings.thresholds.end(),
                  [](double threshold) { return threshold < 0 || threshold > 1; }))
    file.refuse(prefix + "thresholds", "expected probabilities");
  settings.draft_lengths = file.read<std::int32_t>(prefix + "draft_lengths", {hdf5::Reader::kAny});
  const auto& lengths = settings.draft_lengths;
  if (lengths.empty() || lengths.front() < 1 || lengths.back() > kMostDraftLength ||
      std::adjacent_find(lengths.begin(), lengths.end(), std::greater_equal<>()) != lengths.end())
    file.refuse(prefix + "draft_lengths",
                fmt::format("expected 1 to {}, ascending", kMostDraftLength));
  const hdf5::Dims both = {settings.thresholds.size(), lengths.size()};
  if (file.has(prefix + "along_path"))  // older files have none that is
    settings.along_path = file.read<std::uint8_t>(prefix + "along_path", {both[0]});
  if (std::any_of(settings.along_path.begin(), settings.along_path.end(),
                  [](std::uint8_t one) { return one > 1; }))
    file.refuse(prefix + "along_path", "expected 0 or 1");
  settings.tokens_per_round = read_curve(file, prefix + "tokens_per_round", both);
  settings.drafted_per_round = read_curve(file, prefix + "drafted_per_round", both);
  settings.tokens_per_second = read_curve(file, prefix + "tokens_per_second", both);
  return settings;
}

std::string draft_settings_group(const std::string& machine) {
  return named_group(kDraftSettings, machine);
}

void write_draft_settings(const cost::MachineDraftSettings& settings, hdf5::Writer& file,
                          const std::string& group) {
  write_calibrated_pair(settings, file, group);
  file.add_number<double>(group + "/draft_seconds", settings.draft_seconds);
  file.add_number<double>(group + "/pass_seconds", settings.pass_seconds);
  for (std::size_t i = 0; i < settings.by_temperature.size(); ++i)
    write_draft_curves(settings.by_temperature[i], file, temperature_group(group, i) + "/");
}

cost::MachineDraftSettings read_draft_settings(const hdf5::Reader& file, const std::string& group) {
  constexpr double kShortest = 1e-9, kLongest = 1e6;  // seconds
  cost::MachineDraftSettings settings;
  static_cast<cost::CalibratedPair&>(settings) = read_calibrated_pair(file, group);
  settings.draft_seconds = read_in(file, group + "/draft_seconds", kShortest, kLongest);
  settings.pass_seconds = read_in(file, group + "/pass_seconds", kShortest, kLongest);
  for (const std::string& one : temperature_groups(file, group))
    settings.by_temperature.push_back(read_draft_curves(file, one + "/"));
  return settings;
}

}  // namespace outrider::artifacts
