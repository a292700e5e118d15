#include "runtime/artifacts/drafting_cost_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/curve.h"

namespace outrider::artifacts {
namespace {

constexpr const char* kDrafting = "/drafting/";

void write_timed_passes(const std::vector<cost::TimedPass>& passes, hdf5::Writer& file,
                        const std::string& prefix) {
  std::vector<std::uint8_t> trees;
  std::vector<std::int32_t> rows, contexts;
  std::vector<double> seconds;
  for (const cost::TimedPass& pass : passes) {
    trees.push_back(pass.point.shape == cost::Shape::kTree);
    rows.push_back(pass.point.rows);
    contexts.push_back(pass.point.context);
    seconds.push_back(pass.seconds);
  }
  const hdf5::Dims dims = {passes.size()};
  file.add<std::uint8_t>(prefix + "is_tree", dims, trees, hdf5::Packing::kPlain);
  file.add<std::int32_t>(prefix + "rows", dims, rows, hdf5::Packing::kPlain);
  file.add<std::int32_t>(prefix + "context", dims, contexts, hdf5::Packing::kPlain);
  file.add<double>(prefix + "seconds", dims, seconds, hdf5::Packing::kPlain);
}

std::vector<cost::TimedPass> read_timed_passes(const hdf5::Reader& file,
                                               const std::string& prefix) {
  const auto trees = file.read<std::uint8_t>(prefix + "is_tree", {hdf5::Reader::kAny});
  const hdf5::Dims dims = {trees.size()};
  const auto rows = file.read<std::int32_t>(prefix + "rows", dims);
  const auto contexts = file.read<std::int32_t>(prefix + "context", dims);
  const auto seconds = read_times(file, prefix + "seconds", dims);
  std::vector<cost::TimedPass> passes;
  bool shapes[2] = {false, false};
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (rows[i] < 1 || contexts[i] < 0 || seconds[i] == 0)
      file.refuse(prefix + "seconds", fmt::format("expected passes over one row or more, found one "
                                                  "over {} rows after {} tokens in {} s",
                                                  rows[i], contexts[i], seconds[i]));
    shapes[trees[i] != 0] = true;
    const cost::Shape shape = trees[i] != 0 ? cost::Shape::kTree : cost::Shape::kChain;
    passes.push_back({{shape, rows[i], contexts[i]}, seconds[i]});
  }
  if (!shapes[0] || !shapes[1])
    file.refuse(prefix + "is_tree", fmt::format("expected passes of chains and of trees, found {}",
                                                shapes[0]   ? "chains only"
                                                : shapes[1] ? "trees only"
                                                            : "none"));
  return passes;
}

}  // namespace

std::string drafting_cost_group(const std::string& machine, const std::string& method,
                                const std::string& drafter) {
  return cost_group(machine) + kDrafting + method + (drafter.empty() ? "" : "/" + drafter);
}

std::vector<std::string> drafting_cost_groups(const ArtifactSet& known, const std::string& method) {
  std::vector<std::string> groups = known.groups();
  std::erase_if(groups, [&](const std::string& group) {
    return !group.starts_with(std::string(kCost) + "/") ||
           (group + "/").find(kDrafting + method + "/") == std::string::npos;
  });
  return groups;
}

void write_drafting_cost(const cost::DraftingCost& measured, hdf5::Writer& file,
                         const std::string& group) {
  file.add_text(group + "/drafter", measured.drafter);
  file.add_text(group + "/numerics", measured.numerics);
  file.add_text(group + "/isa", measured.isa);
  file.add_number<std::int32_t>(group + "/threads", measured.threads);
  file.add_number<std::int32_t>(group + "/draft_threads", measured.draft_threads);
  file.add<std::int32_t>(group + "/rows", {measured.rows.size()}, measured.rows,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/shares", {measured.shares.size()}, measured.shares,
                   hdf5::Packing::kPlain);
  file.add_number<double>(group + "/choice_share", measured.choice_share);
  if (!measured.passes.empty()) write_timed_passes(measured.passes, file, group + "/passes/");
}

cost::DraftingCost read_drafting_cost(const hdf5::Reader& file, const std::string& group) {
  constexpr std::size_t kLongestText = 64;
  cost::DraftingCost measured;
  measured.drafter = file.read_text(group + "/drafter", kLongestText);
  measured.numerics = file.read_text(group + "/numerics", kLongestText);
  measured.isa = file.read_text(group + "/isa", kLongestText);
  measured.threads = read_at_least(file, group + "/threads", 1);
  measured.rows = file.read<std::int32_t>(group + "/rows", {hdf5::Reader::kAny});
  const std::vector<int>& rows = measured.rows;
  measured.draft_threads = read_at_least(file, group + "/draft_threads", rows.empty() ? 0 : 1);
  if (!rows.empty() &&
      (rows.front() != 1 ||
       std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end()))
    file.refuse(group + "/rows",
                fmt::format("expected numbers of rows from 1 on, ascending, or none, found {}",
                            ends_of(rows)));
  measured.shares = read_times(file, group + "/shares", {rows.size()});
  if (!rows.empty() && measured.shares.front() <= 0)
    file.refuse(group + "/shares",
                fmt::format("expected a share above 0 of a pass over one row, found {}",
                            measured.shares.front()));
  measured.choice_share = read_in(file, group + "/choice_share", 0, 1e3);
  if (file.is_group(group + "/passes"))
    measured.passes = read_timed_passes(file, group + "/passes/");
  return measured;
}

std::optional<cost::CostModel> passes_beside(const ArtifactSet& known, const std::string& group,
                                             const cost::DraftingCost& measured) {
  const std::string of_machine = group.substr(0, group.rfind(kDrafting));
  if (const ArtifactFile* const file = known.with(of_machine)) {
    const cost::MachineCost all = read_cost(file->reader(), of_machine);
    if (all.numerics == measured.numerics && all.isa == measured.isa)
      if (auto passes = all.model(measured.threads)) return passes;
  }
  if (measured.passes.empty()) return std::nullopt;
  return cost::CostModel(measured.passes);
}

}  // namespace outrider::artifacts
