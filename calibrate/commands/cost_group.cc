#include "calibrate/commands/cost_group.h"

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/draft_grid.h"
#include "runtime/engine/machine.h"

namespace outrider::calibrate {
namespace {

/// Columns of one table, all as long.
class Columns {
 public:
  explicit Columns(std::string place) : place_(std::move(place)) {}

  template <typename T>
  void add(artifacts::Hdf5Writer& file, const std::string& name, const std::vector<T>& values) {
    file.add<T>(place_ + name, {values.size()}, values, artifacts::Packing::kPacked);
  }

 private:
  std::string place_;
};

void write_passes(const std::vector<ThreadsCost>& costs, artifacts::Hdf5Writer& file,
                  const std::string& place) {
  std::vector<std::int32_t> threads, rows, contexts;
  std::vector<std::uint8_t> trees, held_out;
  std::vector<double> median, low, high;
  for (const ThreadsCost& cost : costs) {
    for (const PassTime& pass : cost.passes) {
      threads.push_back(cost.threads);
      trees.push_back(pass.point.shape == Shape::kTree ? 1 : 0);
      rows.push_back(pass.point.rows);
      contexts.push_back(pass.point.context);
      held_out.push_back(pass.held_out ? 1 : 0);
      median.push_back(pass.seconds.median);
      low.push_back(pass.seconds.low);
      high.push_back(pass.seconds.high);
    }
  }
  Columns columns(place);
  columns.add(file, "threads", threads);
  columns.add(file, "is_tree", trees);
  columns.add(file, "rows", rows);
  columns.add(file, "context", contexts);
  columns.add(file, "held_out", held_out);
  columns.add(file, "seconds", median);
  columns.add(file, "seconds_low", low);
  columns.add(file, "seconds_high", high);
}

void write_model(const std::vector<ThreadsCost>& costs, artifacts::Hdf5Writer& file,
                 const std::string& place) {
  std::vector<std::int32_t> threads, rows, numbers_of_threads;
  std::vector<std::uint8_t> trees;
  std::vector<double> at_zero, per_token, median_error, ninetieth_error;
  for (const ThreadsCost& cost : costs) {
    const CostModel model(cost.medians(false));
    for (const Shape shape : {Shape::kChain, Shape::kTree}) {
      for (const auto& [count, line] : model.lines(shape)) {
        threads.push_back(cost.threads);
        trees.push_back(shape == Shape::kTree ? 1 : 0);
        rows.push_back(count);
        at_zero.push_back(line.at_zero);
        per_token.push_back(line.per_token);
      }
    }
    const std::vector<TimedPass> held_out = cost.medians(true);
    if (held_out.empty()) continue;
    const measure::Spread errors = measure::spread_of(relative_errors(model, held_out));
    numbers_of_threads.push_back(cost.threads);
    median_error.push_back(errors.median);
    ninetieth_error.push_back(errors.high);
  }
  Columns lines(place);
  lines.add(file, "threads", threads);
  lines.add(file, "is_tree", trees);
  lines.add(file, "rows", rows);
  lines.add(file, "seconds_at_zero", at_zero);
  lines.add(file, "seconds_per_context_token", per_token);
  Columns errors(place + "error/");
  errors.add(file, "threads", numbers_of_threads);
  errors.add(file, "median", median_error);
  errors.add(file, "ninetieth", ninetieth_error);
}

/// The passes on the grid with one number of threads.
std::vector<TimedPass> read_passes(const artifacts::Hdf5Reader& file, const std::string& place,
                                   int threads) {
  const auto with = file.read<std::int32_t>(place + "threads", {artifacts::Hdf5Reader::kAny});
  const artifacts::Dims dims = {with.size()};
  const auto trees = file.read<std::uint8_t>(place + "is_tree", dims);
  const auto rows = file.read<std::int32_t>(place + "rows", dims);
  const auto contexts = file.read<std::int32_t>(place + "context", dims);
  const auto held_out = file.read<std::uint8_t>(place + "held_out", dims);
  const auto seconds = file.read<double>(place + "seconds", dims);
  std::vector<TimedPass> passes;
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i] != threads || held_out[i] != 0) continue;
    if (rows[i] < 1 || contexts[i] < 0 || !(seconds[i] > 0) || std::isinf(seconds[i]))
      file.refuse(place + "seconds", "holds a pass that cannot be");
    passes.push_back(
        {{trees[i] != 0 ? Shape::kTree : Shape::kChain, rows[i], contexts[i]}, seconds[i]});
  }
  return passes;
}

bool has_shape(const std::vector<TimedPass>& passes, Shape shape) {
  return std::any_of(passes.begin(), passes.end(),
                     [shape](const TimedPass& pass) { return pass.point.shape == shape; });
}

}  // namespace

std::string cost_group(const std::string& machine) {
  return artifacts::machine_group("/cost", machine);
}

void write_cost(const std::vector<ThreadsCost>& costs, artifacts::Hdf5Writer& file,
                const std::string& group) {
  write_passes(costs, file, group + "/passes/");
  write_model(costs, file, group + "/model/");
}

std::optional<CostModel> read_cost(const artifacts::ArtifactFile& file,
                                   const engine::Engine& engine) {
  constexpr std::size_t kMaxName = 64;
  const std::string group = cost_group(engine::machine_name());
  if (!file.has(group)) return std::nullopt;
  const artifacts::Hdf5Reader& reader = file.reader();
  if (reader.read_text(group + "/numerics", kMaxName) != engine.numerics_name() ||
      reader.read_text(group + "/isa", kMaxName) != engine.isa_name())
    return std::nullopt;
  const auto passes = read_passes(reader, group + "/passes/", engine.threads());
  if (!has_shape(passes, Shape::kChain) || !has_shape(passes, Shape::kTree)) return std::nullopt;
  return CostModel(passes);
}

}  // namespace outrider::calibrate
