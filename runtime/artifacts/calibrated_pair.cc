#include "runtime/artifacts/calibrated_pair.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/curve.h"
#include "runtime/cost/pass_rows.h"

namespace outrider::artifacts {
namespace {

using cost::PassRows;

void check_ascending(const hdf5::Reader& file, const std::string& path,
                     const std::vector<std::int32_t>& rows) {
  if (rows.empty() || rows.front() != 1 ||
      std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end())
    file.refuse(path, "expected numbers of rows from 1 on, ascending");
}

}  // namespace

void write_calibrated_pair(const cost::CalibratedPair& pair, hdf5::Writer& file,
                           const std::string& group) {
  file.add_text(group + "/draft", pair.draft);
  file.add_text(group + "/numerics", pair.numerics);
  file.add_number<std::int32_t>(group + "/threads", pair.threads);
  file.add_number<std::int32_t>(group + "/draft_threads", pair.draft_threads);
  file.add_number<std::int32_t>(group + "/context", pair.context);
  file.add_text(group + "/isa", pair.isa);
}

cost::CalibratedPair read_calibrated_pair(const hdf5::Reader& file, const std::string& group) {
  constexpr std::size_t kLongestText = 64;
  cost::CalibratedPair pair;
  pair.draft = file.read_text(group + "/draft", kLongestText);
  pair.numerics = file.read_text(group + "/numerics", kLongestText);
  pair.threads = read_at_least(file, group + "/threads", 1);
  pair.draft_threads = read_at_least(file, group + "/draft_threads", 1);
  pair.context = read_at_least(file, group + "/context", 0);
  if (file.has(group + "/isa")) pair.isa = file.read_text(group + "/isa", kLongestText);
  return pair;
}

void write_calibrated_passes(const cost::CalibratedPasses& passes, hdf5::Writer& file,
                             const std::string& group) {
  write_calibrated_pair(passes, file, group);
  file.add<std::int32_t>(group + "/draft_rows", {passes.rows.size()}, passes.rows,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/draft_shares", {passes.shares.size()}, passes.shares,
                   hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/pass_rows", {PassRows::numbers().size()}, PassRows::numbers(),
                         hdf5::Packing::kPlain);
}

cost::CalibratedPasses read_calibrated_passes(const hdf5::Reader& file, const std::string& group,
                                              const std::string& command) {
  cost::CalibratedPasses passes;
  static_cast<cost::CalibratedPair&>(passes) = read_calibrated_pair(file, group);
  passes.rows = file.read<std::int32_t>(group + "/draft_rows", {hdf5::Reader::kAny});
  check_ascending(file, group + "/draft_rows", passes.rows);
  passes.shares = read_times(file, group + "/draft_shares", {passes.rows.size()});
  if (passes.shares.front() <= 0) file.refuse(group + "/draft_shares", "holds no time");
  if (file.read<std::int32_t>(group + "/pass_rows", {hdf5::Reader::kAny}) != PassRows::numbers())
    file.refuse(group + "/pass_rows",
                fmt::format("counts passes of other numbers of rows than this program; `{}` makes "
                            "the group anew",
                            command));
  return passes;
}

}  // namespace outrider::artifacts
