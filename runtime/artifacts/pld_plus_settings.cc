#include "runtime/artifacts/pld_plus_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/curve.h"

namespace outrider::artifacts {
namespace {

constexpr int kLongestDraft = 1 << 16;
constexpr std::size_t kMostTemperatures = 1 << 10;
constexpr std::uint64_t kMostClasses = 1 << 12;
constexpr std::uint64_t kLongest = 256;  // as --draft-length
constexpr std::int32_t kMostMatching = 1 << 16;
constexpr std::size_t kMaxMachine = 1 << 10;
constexpr const char* kByStep = "by_step";

template <typename T>
std::vector<T> read_bounds(const hdf5::Reader& file, const std::string& path) {
  auto bounds = file.read<T>(path, {hdf5::Reader::kAny});
  if (bounds.size() >= kMostClasses) file.refuse(path, "has no sensible length");
  const bool numbers = std::none_of(bounds.begin(), bounds.end(),
                                    [](T bound) { return std::isnan(static_cast<double>(bound)); });
  if (!numbers || !std::is_sorted(bounds.begin(), bounds.end()))
    file.refuse(path, "expected bounds in ascending order");
  return bounds;
}

/// No more sources are accepted for i + 1 tokens than for i.
void check_counts(const hdf5::Reader& file, const std::string& path,
                  const draft::PldPlusLengths& lengths) {
  const std::size_t longest = static_cast<std::size_t>(lengths.longest());
  for (std::size_t i = 0; i < lengths.accepted.size(); ++i) {
    const std::int64_t before =
        i % longest == 0 ? lengths.sources[i / longest] : lengths.accepted[i - 1];
    if (lengths.accepted[i] < 0 || lengths.accepted[i] > before)
      file.refuse(path, "counts what cannot be");
  }
}

void write_lengths(const draft::PldPlusLengths& lengths, hdf5::Writer& file,
                   const std::string& group) {
  const hdf5::Dims classes = {lengths.score_bounds.size() + 1, lengths.match_bounds.size() + 1};
  const hdf5::Dims by_length = {classes[0], classes[1], lengths.seconds.size() - 1};
  file.add<float>(group + "/score_bounds", {classes[0] - 1}, lengths.score_bounds,
                  hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/match_bounds", {classes[1] - 1}, lengths.match_bounds,
                         hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/sources", classes, lengths.sources, hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/accepted", by_length, lengths.accepted, hdf5::Packing::kPacked);
  file.add<double>(group + "/seconds", {lengths.seconds.size()}, lengths.seconds,
                   hdf5::Packing::kPlain);
  file.add_text(group + "/machine", lengths.machine);
  file.add_number<double>(group + "/tokens_per_second", lengths.tokens_per_second);
  file.add_number<double>(group + "/fixed_tokens_per_second", lengths.fixed_tokens_per_second);
}

draft::PldPlusLengths read_lengths(const hdf5::Reader& file, const std::string& group) {
  draft::PldPlusLengths lengths;
  lengths.score_bounds = read_bounds<float>(file, group + "/score_bounds");
  lengths.match_bounds = read_bounds<std::int32_t>(file, group + "/match_bounds");
  lengths.seconds = read_times(file, group + "/seconds", {hdf5::Reader::kAny});
  for (const std::int32_t bound : lengths.match_bounds)
    if (bound < 1 || bound > kMostMatching)
      file.refuse(group + "/match_bounds", "expected numbers of tokens");
  const std::uint64_t rows = lengths.seconds.size();
  if (rows < 2 || rows > 1 + kLongest) file.refuse(group + "/seconds", "has no sensible length");
  for (const double one : lengths.seconds)
    if (!(one > 0)) file.refuse(group + "/seconds", "holds no time");
  const hdf5::Dims classes = {lengths.score_bounds.size() + 1, lengths.match_bounds.size() + 1};
  // Older files have other names for the counts.
  const bool older = !file.has(group + "/accepted") && file.has(group + "/said");
  const std::string accepted = group + (older ? "/said" : "/accepted");
  lengths.sources = file.read<std::int64_t>(group + (older ? "/places" : "/sources"), classes);
  lengths.accepted = file.read<std::int64_t>(accepted, {classes[0], classes[1], rows - 1});
  check_counts(file, accepted, lengths);
  lengths.machine = file.read_text(group + "/machine", kMaxMachine);
  lengths.tokens_per_second = file.read_number<double>(group + "/tokens_per_second");
  lengths.fixed_tokens_per_second = file.read_number<double>(group + "/fixed_tokens_per_second");
  return lengths;
}

/// @param prefix  of its datasets: "…/settings/0/"
void write_one(const draft::PldPlusSettings& settings, hdf5::Writer& file,
               const std::string& prefix) {
  const hdf5::Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  file.add_number<std::int32_t>(prefix + "context", settings.context);
  file.add_number<double>(prefix + "plain_tokens_per_second", settings.plain_tokens_per_second);
  file.add<std::int32_t>(prefix + "draft_lengths", {both[0]}, settings.draft_lengths,
                         hdf5::Packing::kPlain);
  file.add<double>(prefix + "thresholds", {both[1]}, settings.thresholds, hdf5::Packing::kPlain);
  file.add<double>(prefix + "tokens_per_pass", both, settings.tokens_per_pass,
                   hdf5::Packing::kPlain);
  file.add<double>(prefix + "drafted_per_pass", both, settings.drafted_per_pass,
                   hdf5::Packing::kPlain);
  file.add<double>(prefix + "tokens_per_second", both, settings.tokens_per_second,
                   hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(prefix + "draft_length", settings.draft_length);
  file.add_number<double>(prefix + "threshold", settings.threshold);
  if (settings.temperature) file.add_number<double>(prefix + "temperature", *settings.temperature);
  if (settings.by_step) write_lengths(*settings.by_step, file, prefix + kByStep);
}

draft::PldPlusSettings read_one(const hdf5::Reader& file, const std::string& prefix) {
  draft::PldPlusSettings settings;
  if (file.has(prefix + "temperature"))
    settings.temperature = file.read_number<double>(prefix + "temperature");
  settings.context = file.read_number<std::int32_t>(prefix + "context");
  if (settings.context < 0) file.refuse(prefix + "context", "out of range");
  settings.plain_tokens_per_second = file.read_number<double>(prefix + "plain_tokens_per_second");
  settings.draft_lengths = file.read<std::int32_t>(prefix + "draft_lengths", {hdf5::Reader::kAny});
  settings.thresholds = read_curve(file, prefix + "thresholds", {hdf5::Reader::kAny});
  const hdf5::Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  settings.tokens_per_pass = read_curve(file, prefix + "tokens_per_pass", both);
  settings.drafted_per_pass = read_curve(file, prefix + "drafted_per_pass", both);
  settings.tokens_per_second = read_curve(file, prefix + "tokens_per_second", both);
  settings.draft_length = file.read_number<std::int32_t>(prefix + "draft_length");
  if (settings.draft_length < 1 || settings.draft_length > kLongestDraft)
    file.refuse(prefix + "draft_length", "out of range");
  settings.threshold = file.read_number<double>(prefix + "threshold");
  if (!(settings.threshold >= -1 && settings.threshold <= 1))
    file.refuse(prefix + "threshold", "expected a cosine");
  if (file.is_group(prefix + kByStep)) settings.by_step = read_lengths(file, prefix + kByStep);
  return settings;
}

std::string settings_group(const std::string& group, std::size_t number) {
  return fmt::format("{}/settings/{}", group, number);
}

}  // namespace

void write_pld_plus_settings(const std::vector<draft::PldPlusSettings>& all, hdf5::Writer& file,
                             const std::string& group) {
  for (std::size_t i = 0; i < all.size(); ++i)
    write_one(all[i], file, settings_group(group, i) + "/");
}

std::vector<draft::PldPlusSettings> read_pld_plus_settings(const hdf5::Reader& file,
                                                           const std::string& group) {
  // Older files have one for all temperatures.
  if (!file.is_group(settings_group(group, 0))) return {read_one(file, group + "/settings/")};
  std::vector<draft::PldPlusSettings> all;
  while (all.size() < kMostTemperatures && file.is_group(settings_group(group, all.size()))) {
    const std::string one = settings_group(group, all.size());
    all.push_back(read_one(file, one + "/"));
    const std::optional<double> now = all.back().temperature;
    const bool ascends = all.size() == 1 || (now && *now > all[all.size() - 2].temperature);
    if (!now || !(*now >= 0) || !ascends)
      file.refuse(one + "/temperature", "expected temperatures in ascending order");
  }
  return all;
}

}  // namespace outrider::artifacts
