#include "calibrate/report/cost_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "runtime/cost/cost_model.h"
#include "runtime/report/drafter_costs_text.h"

namespace outrider::calibrate {
namespace {

std::string table_text(const cost::ThreadsCost& cost) {
  std::string text = fmt::format("{:>7} {:>9} {:>7} {:>5} {:>6} {:>9}  (spread)\n", "threads",
                                 "sequences", "context", "rows", "shape", "ms");
  for (const cost::PassTime& pass : cost.passes) {
    if (pass.held_out) continue;
    text += fmt::format("{:>7} {:>9} {:>7} {:>5} {:>6} {:>9.3f}  ({:.3f}-{:.3f})\n", cost.threads,
                        pass.point.sequences, pass.point.context, pass.point.rows,
                        pass.point.shape == cost::Shape::kTree ? "tree" : "chain",
                        1e3 * pass.seconds.median, 1e3 * pass.seconds.low, 1e3 * pass.seconds.high);
  }
  const std::vector<cost::TimedPass> held_out = cost.medians(true);
  if (held_out.empty()) return text + "The grid leaves no point between its own to predict.\n";
  const cost::CostModel model(cost.medians(false));
  const cost::Spread errors = cost::spread_of(cost::relative_errors(model, held_out));
  return text + fmt::format(
                    "{} threads: {} points between predicted with a median error of {:.1f} %, a "
                    "tenth of them by more than {:.1f} %\n",
                    cost.threads, held_out.size(), 100 * errors.median, 100 * errors.high);
}

std::string drafters_text(const cost::DrafterCosts& costs,
                          const std::vector<std::string>& left_out) {
  if (costs.drafters.empty()) return "";
  std::string text = "\n" + report::drafter_costs_text(costs);
  if (left_out.empty()) return text;
  return text + fmt::format("not calibrated yet, so not timed: {}\n", fmt::join(left_out, ", "));
}

}  // namespace

std::string cost_text(const cost::MachineCost& measured, const std::vector<std::string>& left_out) {
  std::string text;
  if (measured.runs > 1) text += fmt::format("means of {} runs\n", measured.runs);
  for (const cost::ThreadsCost& cost : measured.passes) text += table_text(cost);
  return text + drafters_text(measured.drafters, left_out);
}

}  // namespace outrider::calibrate
