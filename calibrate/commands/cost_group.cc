#include "calibrate/commands/cost_group.h"

namespace outrider::calibrate {
namespace {

/// Columns of one table, all as long.
class Columns {
 public:
  explicit Columns(std::string place) : place_(std::move(place)) {}

  template <typename T>
  void add(hdf5::Writer& file, const std::string& name, const std::vector<T>& values) {
    file.add<T>(place_ + name, {values.size()}, values, hdf5::Packing::kPacked);
  }

 private:
  std::string place_;
};

void write_passes(const std::vector<ThreadsCost>& costs, hdf5::Writer& file,
                  const std::string& place) {
  std::vector<std::int32_t> threads, rows, contexts;
  std::vector<std::uint8_t> trees, held_out;
  std::vector<double> median, low, high;
  for (const ThreadsCost& cost : costs) {
    for (const PassTime& pass : cost.passes) {
      threads.push_back(cost.threads);
      trees.push_back(pass.point.shape == cost::Shape::kTree ? 1 : 0);
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

void write_model(const std::vector<ThreadsCost>& costs, hdf5::Writer& file,
                 const std::string& place) {
  std::vector<std::int32_t> threads, rows, numbers_of_threads;
  std::vector<std::uint8_t> trees;
  std::vector<double> at_zero, per_token, median_error, ninetieth_error;
  for (const ThreadsCost& cost : costs) {
    const cost::CostModel model(cost.medians(false));
    for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree}) {
      for (const auto& [count, line] : model.lines(shape)) {
        threads.push_back(cost.threads);
        trees.push_back(shape == cost::Shape::kTree ? 1 : 0);
        rows.push_back(count);
        at_zero.push_back(line.at_zero);
        per_token.push_back(line.per_token);
      }
    }
    const std::vector<cost::TimedPass> held_out = cost.medians(true);
    if (held_out.empty()) continue;
    const cost::Spread errors = cost::spread_of(cost::relative_errors(model, held_out));
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

}  // namespace

void write_cost(const std::vector<ThreadsCost>& costs, hdf5::Writer& file,
                const std::string& group) {
  write_passes(costs, file, group + "/passes/");
  write_model(costs, file, group + "/model/");
}

}  // namespace outrider::calibrate
