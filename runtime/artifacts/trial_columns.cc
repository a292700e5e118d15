#include "runtime/artifacts/trial_columns.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/curve.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMostTrials = 100'000;
constexpr int kMostOfSetting = 1 << 16;

using cost::PassRows;

template <typename T>
std::vector<T> read_column(const hdf5::Reader& file, const std::string& path, std::size_t size,
                           T least, T most) {
  std::vector<T> column = file.read<T>(path, {size});
  for (const T one : column)
    if (!(one >= least && one <= most))
      file.refuse(path, fmt::format("expected {} to {}, found {}", least, most, one));
  return column;
}

}  // namespace

TrialColumnsReader::TrialColumnsReader(const hdf5::Reader& file, std::string prefix,
                                       const std::string& size_from)
    : file_(file), prefix_(std::move(prefix)) {
  const std::string path = prefix_ + size_from;
  size_ = file.read<std::int32_t>(path, {hdf5::Reader::kAny}).size();
  if (size_ < 1 || size_ > kMostTrials)
    file.refuse(path, fmt::format("expected 1 to {} settings, found {}", kMostTrials, size_));
}

std::vector<std::int32_t> TrialColumnsReader::whole(const std::string& name, int least) const {
  return read_column<std::int32_t>(file_, prefix_ + name, size_, least, kMostOfSetting);
}

std::vector<std::int64_t> TrialColumnsReader::counts(const std::string& name) const {
  return read_column<std::int64_t>(file_, prefix_ + name, size_, 0, std::int64_t{1} << 40);
}

std::vector<double> TrialColumnsReader::shares(const std::string& name) const {
  return read_column<double>(file_, prefix_ + name, size_, 0, 1);
}

std::vector<PassRows> TrialColumnsReader::rows(const std::string& name) const {
  const std::string path = prefix_ + name;
  const std::size_t width = PassRows::numbers().size();
  const auto all = file_.read<std::int32_t>(path, {size_, width});
  for (const std::int32_t one : all)
    if (one < 0) file_.refuse(path, fmt::format("expected 0 or more, found {}", one));
  std::vector<PassRows> made;
  for (auto row = all.begin(); row != all.end(); row += static_cast<std::ptrdiff_t>(width))
    made.emplace_back(std::vector<std::int32_t>(row, row + static_cast<std::ptrdiff_t>(width)));
  return made;
}

std::vector<cost::Trial> TrialColumnsReader::trials() const {
  const auto rounds = counts("rounds"), tokens = counts("tokens"), drafted = counts("drafted");
  const auto verified = rows("verified"), drafting = rows("drafting");
  const auto speed = read_curve(file_, prefix_ + "tokens_per_second", {size_});
  std::vector<cost::Trial> made;
  for (std::size_t i = 0; i < size_; ++i) {
    if (rounds[i] < 1) file_.refuse(prefix_ + "rounds", "expected 1 or more, found 0");
    made.push_back({rounds[i], tokens[i], drafted[i], verified[i], drafting[i], speed[i]});
  }
  return made;
}

}  // namespace outrider::artifacts
