#include "runtime/artifacts/copy_lengths.h"

#include <algorithm>
#include <cmath>

namespace outrider::artifacts {
namespace {

constexpr std::uint64_t kMostClasses = 1 << 12;
constexpr std::uint64_t kLongest = 256;  // as --draft-length
constexpr std::size_t kMaxMachine = 1 << 10;

template <typename T>
std::size_t bounds_not_above(const std::vector<T>& bounds, T number) {
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), number) -
                                  bounds.begin());
}

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

/// No more places go on for i + 1 tokens than for i.
void check_counts(const hdf5::Reader& file, const std::string& path, const CopyLengths& lengths) {
  const std::size_t longest = static_cast<std::size_t>(lengths.longest());
  for (std::size_t i = 0; i < lengths.said.size(); ++i) {
    const std::int64_t before =
        i % longest == 0 ? lengths.places[i / longest] : lengths.said[i - 1];
    if (lengths.said[i] < 0 || lengths.said[i] > before) file.refuse(path, "counts what cannot be");
  }
}

}  // namespace

std::size_t CopyLengths::class_of(float score, int matching) const {
  return bounds_not_above(score_bounds, score) * (match_bounds.size() + 1) +
         bounds_not_above(match_bounds, matching);
}

void write_copy_lengths(const CopyLengths& lengths, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims classes = {lengths.score_bounds.size() + 1, lengths.match_bounds.size() + 1};
  const hdf5::Dims by_length = {classes[0], classes[1], lengths.seconds.size() - 1};
  file.add<float>(group + "/score_bounds", {classes[0] - 1}, lengths.score_bounds,
                  hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/match_bounds", {classes[1] - 1}, lengths.match_bounds,
                         hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/places", classes, lengths.places, hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/said", by_length, lengths.said, hdf5::Packing::kPacked);
  file.add<double>(group + "/seconds", {lengths.seconds.size()}, lengths.seconds,
                   hdf5::Packing::kPlain);
  file.add_text(group + "/machine", lengths.machine);
  file.add_number<double>(group + "/tokens_per_second", lengths.tokens_per_second);
  file.add_number<double>(group + "/fixed_tokens_per_second", lengths.fixed_tokens_per_second);
}

CopyLengths read_copy_lengths(const hdf5::Reader& file, const std::string& group) {
  CopyLengths lengths;
  lengths.score_bounds = read_bounds<float>(file, group + "/score_bounds");
  lengths.match_bounds = read_bounds<std::int32_t>(file, group + "/match_bounds");
  lengths.seconds = file.read<double>(group + "/seconds", {hdf5::Reader::kAny});
  const std::uint64_t rows = lengths.seconds.size();
  if (rows < 2 || rows > 1 + kLongest) file.refuse(group + "/seconds", "has no sensible length");
  for (const double one : lengths.seconds)
    if (!(one > 0) || std::isinf(one)) file.refuse(group + "/seconds", "holds no time");
  const hdf5::Dims classes = {lengths.score_bounds.size() + 1, lengths.match_bounds.size() + 1};
  lengths.places = file.read<std::int64_t>(group + "/places", classes);
  lengths.said = file.read<std::int64_t>(group + "/said", {classes[0], classes[1], rows - 1});
  check_counts(file, group + "/said", lengths);
  lengths.machine = file.read_text(group + "/machine", kMaxMachine);
  lengths.tokens_per_second = file.read_number<double>(group + "/tokens_per_second");
  lengths.fixed_tokens_per_second = file.read_number<double>(group + "/fixed_tokens_per_second");
  return lengths;
}

}  // namespace outrider::artifacts
