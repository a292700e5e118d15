#include "runtime/artifacts/pld_plus_lengths_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/temperature_groups.h"

namespace outrider::artifacts {
namespace {

constexpr std::uint64_t kMostClasses = 1 << 12;
constexpr std::uint64_t kLongest = 256;  // as --draft-length
constexpr std::int32_t kMostMatching = 1 << 16;
constexpr std::size_t kMaxMachine = 1 << 10;
constexpr const char* kByStep = "/by_step";

template <typename T>
std::vector<T> read_bounds(const hdf5::Reader& file, const std::string& path) {
  auto bounds = file.read<T>(path, {hdf5::Reader::kAny});
  if (bounds.size() >= kMostClasses)
    file.refuse(
        path, fmt::format("expected fewer than {} bounds, found {}", kMostClasses, bounds.size()));
  const bool numbers = std::none_of(bounds.begin(), bounds.end(),
                                    [](T bound) { return std::isnan(static_cast<double>(bound)); });
  if (!numbers || !std::is_sorted(bounds.begin(), bounds.end()))
    file.refuse(path, fmt::format("expected bounds in ascending order, found {}", ends_of(bounds)));
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
      file.refuse(
          path,
          fmt::format("expected 0 to {}, since no more are accepted for a longer draft, found {}",
                      before, lengths.accepted[i]));
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
  file.add_number<std::int32_t>(group + "/otherwise", lengths.otherwise);
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
      file.refuse(group + "/match_bounds",
                  fmt::format("expected 1 to {}, found {}", kMostMatching, bound));
  const std::uint64_t rows = lengths.seconds.size();
  if (rows < 2 || rows > 1 + kLongest)
    file.refuse(group + "/seconds",
                fmt::format("expected 2 to {} numbers, found {}", 1 + kLongest, rows));
  for (const double one : lengths.seconds)
    if (!(one > 0))
      file.refuse(group + "/seconds", fmt::format("expected seconds above 0, found {}", one));
  const hdf5::Dims classes = {lengths.score_bounds.size() + 1, lengths.match_bounds.size() + 1};
  const std::string accepted = group + "/accepted";
  lengths.sources = file.read<std::int64_t>(group + "/sources", classes);
  lengths.accepted = file.read<std::int64_t>(accepted, {classes[0], classes[1], rows - 1});
  check_counts(file, accepted, lengths);
  lengths.otherwise = read_at_least(file, group + "/otherwise", 0);
  lengths.machine = file.read_text(group + "/machine", kMaxMachine);
  lengths.tokens_per_second = file.read_number<double>(group + "/tokens_per_second");
  lengths.fixed_tokens_per_second = file.read_number<double>(group + "/fixed_tokens_per_second");
  return lengths;
}

}  // namespace

void write_pld_plus_lengths(const std::vector<draft::PldPlusTemperature>& all, hdf5::Writer& file,
                            const std::string& group) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string one = temperature_group(group, i);
    file.add_number<double>(one + "/temperature", all[i].temperature);
    if (all[i].by_step) write_lengths(*all[i].by_step, file, one + kByStep);
  }
}

std::vector<draft::PldPlusTemperature> read_pld_plus_lengths(const hdf5::Reader& file,
                                                             const std::string& group) {
  check_is_current(file, group, {"/temperatures/0/temperature"});
  std::vector<draft::PldPlusTemperature> all;
  for (const std::string& one : temperature_groups(file, group)) {
    all.push_back({read_in(file, one + "/temperature", 0, 1e9)});
    if (file.is_group(one + kByStep)) all.back().by_step = read_lengths(file, one + kByStep);
  }
  return all;
}

}  // namespace outrider::artifacts
