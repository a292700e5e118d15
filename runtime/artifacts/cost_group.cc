#include "runtime/artifacts/cost_group.h"

#include <fmt/core.h>

#include <cctype>
#include <map>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/column_writer.h"
#include "runtime/artifacts/curve.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxName = 1 << 10;
constexpr const char* kDrafters = "/drafters";
constexpr const char* kRuns = "/runs";
constexpr const char* kSequences = "sequences";

/// A pass or a line of the model, with its number of threads.
struct ThreadsPass {
  int threads;
  const cost::PassTime& pass;
};
struct ThreadsLine {
  int threads;
  cost::CostModel::Kind kind;
  int rows;
  cost::CostModel::Line line;
};
/// How far predictions were from passes that the model was not made of.
struct ThreadsErrors {
  int threads;
  cost::Spread errors;
};

std::uint8_t is_tree(cost::Shape shape) { return shape == cost::Shape::kTree ? 1 : 0; }

void write_passes(const std::vector<cost::ThreadsCost>& costs, hdf5::Writer& file,
                  const std::string& prefix) {
  std::vector<ThreadsPass> passes;
  for (const cost::ThreadsCost& cost : costs)
    for (const cost::PassTime& pass : cost.passes) passes.push_back({cost.threads, pass});
  ColumnWriter<ThreadsPass> columns(passes, file, prefix);
  columns.add<std::int32_t>("threads", [](const auto& one) { return one.threads; });
  columns.add<std::uint8_t>("is_tree",
                            [](const auto& one) { return is_tree(one.pass.point.shape); });
  columns.add<std::int32_t>("rows", [](const auto& one) { return one.pass.point.rows; });
  columns.add<std::int32_t>("context", [](const auto& one) { return one.pass.point.context; });
  columns.add<std::int32_t>(kSequences, [](const auto& one) { return one.pass.point.sequences; });
  columns.add<std::uint8_t>("held_out",
                            [](const auto& one) { return std::uint8_t{one.pass.held_out}; });
  columns.add<double>("seconds", [](const auto& one) { return one.pass.seconds.median; });
  columns.add<double>("seconds_low", [](const auto& one) { return one.pass.seconds.low; });
  columns.add<double>("seconds_high", [](const auto& one) { return one.pass.seconds.high; });
}

void write_model(const std::vector<cost::ThreadsCost>& costs, hdf5::Writer& file,
                 const std::string& prefix) {
  std::vector<ThreadsLine> all_lines;
  std::vector<ThreadsErrors> all_errors;
  for (const cost::ThreadsCost& cost : costs) {
    const cost::CostModel model(cost.medians(false));
    for (const auto& [kind, lines] : model.lines())
      for (const auto& [rows, line] : lines) all_lines.push_back({cost.threads, kind, rows, line});
    const std::vector<cost::TimedPass> held_out = cost.medians(true);
    if (!held_out.empty())
      all_errors.push_back({cost.threads, cost::spread_of(cost::relative_errors(model, held_out))});
  }
  ColumnWriter<ThreadsLine> lines(all_lines, file, prefix);
  lines.add<std::int32_t>("threads", [](const auto& one) { return one.threads; });
  lines.add<std::uint8_t>("is_tree", [](const auto& one) { return is_tree(one.kind.shape); });
  lines.add<std::int32_t>(kSequences, [](const auto& one) { return one.kind.sequences; });
  lines.add<std::int32_t>("rows", [](const auto& one) { return one.rows; });
  lines.add<double>("seconds_at_zero", [](const auto& one) { return one.line.at_zero; });
  lines.add<double>("seconds_per_context_token",
                    [](const auto& one) { return one.line.per_token; });
  ColumnWriter<ThreadsErrors> errors(all_errors, file, prefix + "error/");
  errors.add<std::int32_t>("threads", [](const auto& one) { return one.threads; });
  errors.add<double>("median", [](const auto& one) { return one.errors.median; });
  errors.add<double>("ninetieth", [](const auto& one) { return one.errors.high; });
}

std::vector<cost::ThreadsCost> read_passes(const hdf5::Reader& file, const std::string& prefix) {
  const auto threads = file.read<std::int32_t>(prefix + "threads", {hdf5::Reader::kAny});
  const hdf5::Dims dims = {threads.size()};
  const auto trees = file.read<std::uint8_t>(prefix + "is_tree", dims);
  const auto rows = file.read<std::int32_t>(prefix + "rows", dims);
  const auto contexts = file.read<std::int32_t>(prefix + "context", dims);
  const auto sequences = file.read<std::int32_t>(prefix + kSequences, dims);
  const auto held_out = file.read<std::uint8_t>(prefix + "held_out", dims);
  const auto median = read_times(file, prefix + "seconds", dims);
  const auto low = read_times(file, prefix + "seconds_low", dims);
  const auto high = read_times(file, prefix + "seconds_high", dims);
  std::map<int, cost::ThreadsCost> by_threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i] < 1 || sequences[i] < 1 || rows[i] < sequences[i] || contexts[i] < 0 ||
        median[i] == 0)
      file.refuse(prefix + "seconds",
                  fmt::format("expected passes over a row of each sequence or more, found one of "
                              "{} threads over {} rows of {} sequences after {} tokens in {} s",
                              threads[i], rows[i], sequences[i], contexts[i], median[i]));
    cost::ThreadsCost& cost = by_threads[threads[i]];
    cost.threads = threads[i];
    cost.passes.push_back({{trees[i] != 0 ? cost::Shape::kTree : cost::Shape::kChain, rows[i],
                            contexts[i], sequences[i]},
                           held_out[i] != 0,
                           {median[i], low[i], high[i]}});
  }
  std::vector<cost::ThreadsCost> costs;
  for (auto& [count, cost] : by_threads) costs.push_back(std::move(cost));
  return costs;
}

void write_drafters(const cost::DrafterCosts& costs, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims dims = {costs.contexts.size()};
  file.add<std::int32_t>(group + "/context", dims, costs.contexts, hdf5::Packing::kPlain);
  for (const cost::DrafterCosts::Drafter& one : costs.drafters) {
    const std::string seconds = group + "/" + one.name + "/seconds";
    file.add<double>(seconds, dims, one.seconds, hdf5::Packing::kPlain);
    file.add<double>(seconds + "_low", dims, one.low, hdf5::Packing::kPlain);
    file.add<double>(seconds + "_high", dims, one.high, hdf5::Packing::kPlain);
  }
}

/// The drafters in alphabetical order.
cost::DrafterCosts read_drafters(const hdf5::Reader& file, const std::string& group) {
  cost::DrafterCosts costs;
  costs.contexts = file.read<std::int32_t>(group + "/context", {hdf5::Reader::kAny});
  const hdf5::Dims contexts = {costs.contexts.size()};
  for (const std::string& name : file.names(group)) {
    const std::string of_drafter = fmt::format("{}/{}", group, name);
    if (!file.is_group(of_drafter)) continue;
    const std::string seconds = of_drafter + "/seconds";
    costs.drafters.push_back({name, read_times(file, seconds, contexts),
                              read_times(file, seconds + "_low", contexts),
                              read_times(file, seconds + "_high", contexts)});
  }
  return costs;
}

}  // namespace

std::string named_group(const std::string& what, const std::string& name) {
  std::string cleaned;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain || (!cleaned.empty() && cleaned.back() != '-')) cleaned += plain ? c : '-';
  }
  return what + "/" + cleaned;
}

std::string cost_group(const std::string& machine) { return named_group(kCost, machine); }

bool is_cost_group(const std::string& group) {
  const std::string above = std::string(kCost) + "/";
  return group.starts_with(above) && group.find('/', above.size()) == std::string::npos;
}

void write_cost(const cost::MachineCost& measured, hdf5::Writer& file, const std::string& group) {
  file.add_text(group + "/machine", measured.machine);
  file.add_text(group + "/numerics", measured.numerics);
  file.add_text(group + "/isa", measured.isa);
  file.add_number<std::int32_t>(group + kRuns, measured.runs);
  write_passes(measured.passes, file, group + "/passes/");
  write_model(measured.passes, file, group + "/model/");
  write_drafters(measured.drafters, file, group + kDrafters);
}

cost::MachineCost read_cost(const hdf5::Reader& file, const std::string& group) {
  check_is_current(file, group, {kRuns, "/passes/sequences", "/drafters/context"});
  cost::MachineCost measured;
  measured.machine = file.read_text(group + "/machine", kMaxName);
  measured.numerics = file.read_text(group + "/numerics", kMaxName);
  measured.isa = file.read_text(group + "/isa", kMaxName);
  measured.runs = read_at_least(file, group + kRuns, 1);
  measured.passes = read_passes(file, group + "/passes/");
  measured.drafters = read_drafters(file, group + kDrafters);
  return measured;
}

std::optional<cost::CostModel> measured_cost(const ArtifactSet& known,
                                             const engine::Engine& engine) {
  const std::string group = cost_group(engine.place().name);
  const ArtifactFile* file = known.with(group);
  if (file == nullptr) return std::nullopt;
  const cost::MachineCost measured = read_cost(file->reader(), group);
  if (measured.numerics != engine.numerics_name() || measured.isa != engine.place().unit)
    return std::nullopt;
  return measured.model(engine.workers());
}

}  // namespace outrider::artifacts
