#include "runtime/artifacts/copy_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace outrider::artifacts {
namespace {

constexpr int kLongestDraft = 1 << 16;
constexpr std::size_t kMostTemperatures = 1 << 10;
constexpr const char* kByStep = "by_step";

void write_one(const CopySettings& settings, hdf5::Writer& file, const std::string& place) {
  const hdf5::Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  file.add_number<std::int32_t>(place + "context", settings.context);
  file.add_number<double>(place + "plain_tokens_per_second", settings.plain_tokens_per_second);
  file.add<std::int32_t>(place + "draft_lengths", {both[0]}, settings.draft_lengths,
                         hdf5::Packing::kPlain);
  file.add<double>(place + "thresholds", {both[1]}, settings.thresholds, hdf5::Packing::kPlain);
  file.add<double>(place + "tokens_per_pass", both, settings.tokens_per_pass,
                   hdf5::Packing::kPlain);
  file.add<double>(place + "drafted_per_pass", both, settings.drafted_per_pass,
                   hdf5::Packing::kPlain);
  file.add<double>(place + "tokens_per_second", both, settings.tokens_per_second,
                   hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(place + "draft_length", settings.draft_length);
  file.add_number<double>(place + "threshold", settings.threshold);
  if (settings.temperature) file.add_number<double>(place + "temperature", *settings.temperature);
  if (settings.by_step) write_copy_lengths(*settings.by_step, file, place + kByStep);
}

CopySettings read_one(const hdf5::Reader& file, const std::string& place) {
  CopySettings settings;
  if (file.has(place + "temperature"))
    settings.temperature = file.read_number<double>(place + "temperature");
  settings.context = file.read_number<std::int32_t>(place + "context");
  settings.plain_tokens_per_second = file.read_number<double>(place + "plain_tokens_per_second");
  settings.draft_lengths = file.read<std::int32_t>(place + "draft_lengths", {hdf5::Reader::kAny});
  settings.thresholds = file.read<double>(place + "thresholds", {hdf5::Reader::kAny});
  const hdf5::Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  settings.tokens_per_pass = file.read<double>(place + "tokens_per_pass", both);
  settings.drafted_per_pass = file.read<double>(place + "drafted_per_pass", both);
  settings.tokens_per_second = file.read<double>(place + "tokens_per_second", both);
  settings.draft_length = file.read_number<std::int32_t>(place + "draft_length");
  if (settings.draft_length < 1 || settings.draft_length > kLongestDraft)
    file.refuse(place + "draft_length", "out of range");
  settings.threshold = file.read_number<double>(place + "threshold");
  if (!(settings.threshold >= -1 && settings.threshold <= 1))
    file.refuse(place + "threshold", "expected a cosine");
  if (file.is_group(place + kByStep)) settings.by_step = read_copy_lengths(file, place + kByStep);
  return settings;
}

std::string place_of(const std::string& group, std::size_t number) {
  return fmt::format("{}/settings/{}", group, number);
}

double distance(const CopySettings& settings, double temperature) {
  return std::abs(settings.temperature.value_or(temperature) - temperature);
}

}  // namespace

std::string temperature_name(const CopySettings& settings) {
  return settings.temperature ? fmt::format("temperature {}", *settings.temperature)
                              : "any temperature";
}

const CopySettings& nearest_settings(const std::vector<CopySettings>& all, double temperature) {
  return *std::min_element(all.begin(), all.end(),
                           [&](const CopySettings& one, const CopySettings& other) {
                             return distance(one, temperature) < distance(other, temperature);
                           });
}

void write_copy_settings(const std::vector<CopySettings>& all, hdf5::Writer& file,
                         const std::string& group) {
  for (std::size_t i = 0; i < all.size(); ++i) write_one(all[i], file, place_of(group, i) + "/");
}

std::vector<CopySettings> read_copy_settings(const hdf5::Reader& file, const std::string& group) {
  // Files of old have one for all temperatures.
  if (!file.is_group(place_of(group, 0))) return {read_one(file, group + "/settings/")};
  std::vector<CopySettings> all;
  while (all.size() < kMostTemperatures && file.is_group(place_of(group, all.size()))) {
    const std::string place = place_of(group, all.size());
    all.push_back(read_one(file, place + "/"));
    const std::optional<double> now = all.back().temperature;
    const bool ascends = all.size() == 1 || (now && *now > all[all.size() - 2].temperature);
    if (!now || !(*now >= 0) || !ascends)
      file.refuse(place + "/temperature", "expected temperatures in ascending order");
  }
  return all;
}

}  // namespace outrider::artifacts
