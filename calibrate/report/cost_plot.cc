#include "calibrate/report/cost_plot.h"

#include <fmt/core.h>

#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/report/heat_map.h"

namespace outrider::calibrate {

std::string plot_of(const cost::MachineCost& measured) {
  const cost::ThreadsCost& cost = measured.passes.back();
  const cost::CostModel model(cost.medians(false));
  report::HeatMap map;
  map.title = fmt::format("Slow-down of a pass by k drafts of w tokens, {} threads, {}",
                          cost.threads, measured.machine);
  map.row_name = "k";
  map.column_name = "w + 1";
  map.rows = {1, 2, 3, 4, 5, 8, 10, 16, 20, 25, 32};
  map.columns = {1, 2, 3, 4, 5, 7, 9, 11, 13, 15};
  const std::vector<int> contexts = {25, 100, 500};
  for (const int context : contexts) map.panels.push_back(fmt::format("context {}", context));
  map.value = [&](std::size_t panel, int k, int w_and_one) {
    const cost::PassPoint drafted = {k == 1 ? cost::Shape::kChain : cost::Shape::kTree,
                                     1 + k * (w_and_one - 1), contexts[panel]};
    return model.seconds(drafted) / model.seconds({cost::Shape::kChain, 1, contexts[panel]});
  };
  return report::svg_of(report::drawn(map));
}

}  // namespace outrider::calibrate
