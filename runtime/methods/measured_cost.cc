#include "runtime/methods/measured_cost.h"

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/draft_grid.h"
#include "runtime/engine/cpu/machine.h"

namespace outrider {
namespace {

/// The passes on the grid with one number of threads.
std::vector<cost::TimedPass> read_passes(const hdf5::Reader& file, const std::string& place,
                                         int threads) {
  const auto with = file.read<std::int32_t>(place + "threads", {hdf5::Reader::kAny});
  const hdf5::Dims dims = {with.size()};
  const auto trees = file.read<std::uint8_t>(place + "is_tree", dims);
  const auto rows = file.read<std::int32_t>(place + "rows", dims);
  const auto contexts = file.read<std::int32_t>(place + "context", dims);
  const auto held_out = file.read<std::uint8_t>(place + "held_out", dims);
  const auto seconds = file.read<double>(place + "seconds", dims);
  std::vector<cost::TimedPass> passes;
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i] != threads || held_out[i] != 0) continue;
    if (rows[i] < 1 || contexts[i] < 0 || !(seconds[i] > 0) || std::isinf(seconds[i]))
      file.refuse(place + "seconds", "holds a pass that cannot be");
    passes.push_back(
        {{trees[i] != 0 ? cost::Shape::kTree : cost::Shape::kChain, rows[i], contexts[i]},
         seconds[i]});
  }
  return passes;
}

bool has_shape(const std::vector<cost::TimedPass>& passes, cost::Shape shape) {
  return std::any_of(passes.begin(), passes.end(),
                     [shape](const cost::TimedPass& pass) { return pass.point.shape == shape; });
}

}  // namespace

std::string cost_group(const std::string& machine) {
  return artifacts::machine_group("/cost", machine);
}

std::optional<cost::CostModel> measured_cost(const artifacts::ArtifactFile& file,
                                             const engine::Engine& engine) {
  constexpr std::size_t kMaxName = 64;
  const std::string group = cost_group(engine::machine_name());
  if (!file.has(group)) return std::nullopt;
  const hdf5::Reader& reader = file.reader();
  if (reader.read_text(group + "/numerics", kMaxName) != engine.numerics_name() ||
      reader.read_text(group + "/isa", kMaxName) != engine.isa_name())
    return std::nullopt;
  const auto passes = read_passes(reader, group + "/passes/", engine.threads());
  if (!has_shape(passes, cost::Shape::kChain) || !has_shape(passes, cost::Shape::kTree))
    return std::nullopt;
  return cost::CostModel(passes);
}

}  // namespace outrider
