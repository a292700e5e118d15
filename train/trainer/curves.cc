#include "train/trainer/curves.h"

#include <algorithm>

#include "runtime/report/line_chart.h"

namespace outrider::train {
namespace {

constexpr std::size_t kMostPoints = 200;

/// The mean loss of equally many steps a point.
report::LineChart loss_chart(const std::vector<nlohmann::ordered_json>& lines) {
  std::vector<double> steps, losses;
  for (const auto& line : lines) {
    if (!line.contains("loss")) continue;
    steps.push_back(line.at("step").get<double>());
    losses.push_back(line.at("loss").get<double>());
  }
  report::LineChart chart{"Loss per token", "step", "nats", {}, {{"training", {}}}};
  const std::size_t width = (losses.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t begin = 0; begin < losses.size(); begin += width) {
    const std::size_t end = std::min(begin + width, losses.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += losses[i];
    chart.x.push_back(steps[end - 1]);
    chart.lines[0].second.push_back(sum / static_cast<double>(end - begin));
  }
  return chart;
}

report::LineChart score_chart(const std::vector<nlohmann::ordered_json>& lines) {
  report::LineChart chart{"Validation on other prompts", "step", "score", {}, {{"score", {}}}};
  for (const auto& line : lines) {
    if (!line.contains("validation")) continue;
    chart.x.push_back(line.at("step").get<double>());
    chart.lines[0].second.push_back(line.at("validation").at("score").get<double>());
  }
  return chart;
}

}  // namespace

std::string curves_svg(const std::vector<nlohmann::ordered_json>& lines) {
  std::vector<report::Drawing> charts;
  for (const report::LineChart& chart : {loss_chart(lines), score_chart(lines)})
    if (!chart.x.empty()) charts.push_back(report::drawn(chart));
  return report::svg_of(report::beside(charts));
}

}  // namespace outrider::train
