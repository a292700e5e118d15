#include "calibrate/commands/copy_plots.h"

#include <fmt/core.h>

#include <numeric>

#include "runtime/measure/heat_map.h"
#include "runtime/measure/line_chart.h"

namespace outrider::calibrate {
namespace {

std::string name_of(const artifacts::CopySettings& settings) {
  return settings.temperature ? fmt::format("temperature {}", *settings.temperature)
                              : "any temperature";
}

measure::LineChart chart_of_layers(const artifacts::CopyLayer& found) {
  const std::size_t layers = found.by_layer.size();
  measure::LineChart chart{fmt::format("tokens per pass, drafts of {}", found.draft_length),
                           "layer",
                           std::vector<double>(layers),
                           {{"all answers", found.by_layer}}};
  std::iota(chart.x.begin(), chart.x.end(), 0.0);
  for (std::size_t i = 0; i * layers < found.by_layer_at.size(); ++i) {
    const auto first = found.by_layer_at.begin() + static_cast<std::ptrdiff_t>(i * layers);
    chart.lines.emplace_back(
        name_of(found.settings[i]),
        std::vector<double>(first, first + static_cast<std::ptrdiff_t>(layers)));
  }
  return chart;
}

/// One line a threshold.
measure::LineChart chart_of_lengths(const artifacts::CopySettings& settings,
                                    const std::string& title, const std::vector<double>& values) {
  measure::LineChart chart{title, "tokens of a draft", {}, {}};
  chart.x.assign(settings.draft_lengths.begin(), settings.draft_lengths.end());
  const std::size_t columns = settings.thresholds.size();
  for (std::size_t h = 0; h < columns; ++h) {
    const double threshold = settings.thresholds[h];
    auto& [name, line] = chart.lines.emplace_back();
    name = threshold <= -1 ? "no threshold" : fmt::format("threshold {}", threshold);
    for (std::size_t k = 0; k < chart.x.size(); ++k) line.push_back(values[k * columns + h]);
  }
  return chart;
}

}  // namespace

std::string plot_of(const artifacts::CopyHeads& found) {
  const std::vector<double> shares = artifacts::hit_shares(found);
  measure::HeatMap map;
  map.title = "Copied tokens whose place a head looks at the most, in percent";
  map.row_name = "layer";
  map.column_name = "head";
  for (int layer = 1; layer <= found.layers; ++layer) map.rows.push_back(layer);
  for (int head = 0; head < found.heads; ++head) map.columns.push_back(head);
  map.panels = {""};
  map.by_logarithm = false;
  map.value = [&](std::size_t, int layer, int head) {
    return 100 * shares[static_cast<std::size_t>((layer - 1) * found.heads + head)];
  };
  return measure::svg_of(map);
}

std::string plot_of(const artifacts::CopyLayer& found) {
  std::vector<measure::LineChart> charts = {chart_of_layers(found)};
  for (const artifacts::CopySettings& settings : found.settings) {
    charts.push_back(chart_of_lengths(settings, "tokens per pass, " + name_of(settings),
                                      settings.tokens_per_pass));
    charts.push_back(chart_of_lengths(settings, "predicted tokens per second, " + name_of(settings),
                                      settings.tokens_per_second));
  }
  return measure::svg_of(charts);
}

}  // namespace outrider::calibrate
