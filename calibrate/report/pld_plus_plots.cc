#include "calibrate/report/pld_plus_plots.h"

#include <fmt/core.h>

#include <numeric>
#include <span>

#include "runtime/report/heat_map.h"
#include "runtime/report/line_chart.h"

namespace outrider::calibrate {
namespace {

using report::Drawing;

constexpr const char* kTau = "tokens per pass";

std::vector<double> numbers_from(int first, std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
  return numbers;
}

std::string temperature_name(const draft::PldPlusTemperature& at) {
  return fmt::format("temperature {}", at.temperature);
}

/// Adds one line for each column of `values`, [points, columns].
void add_lines(report::LineChart& chart, const std::vector<std::string>& columns,
               std::span<const double> values) {
  for (std::size_t column = 0; column < columns.size(); ++column) {
    auto& [name, line] = chart.lines.emplace_back();
    name = columns[column];
    for (std::size_t i = column; i < values.size(); i += columns.size()) line.push_back(values[i]);
  }
}

/// Tokens per pass by number of heads of the ranking, for all answers and those at each
/// temperature.
Drawing heads_chart(const draft::PldPlusHeads& found, const std::string& title) {
  report::LineChart chart{title, "heads", kTau, {}, {}};
  chart.x.assign(found.sweep_heads.begin(), found.sweep_heads.end());
  chart.by_logarithm = true;
  add_lines(chart, {"max", "sum"}, found.sweep);
  const std::size_t numbers = found.sweep.size();
  for (std::size_t i = 0; i * numbers < found.sweep_at.size(); ++i) {
    const std::string at = temperature_name(found.temperatures[i]);
    add_lines(chart, {"max, " + at, "sum, " + at},
              std::span(found.sweep_at).subspan(i * numbers, numbers));
  }
  return report::drawn(chart);
}

/// Tokens per pass with all heads of one layer.
Drawing whole_layers_chart(const draft::PldPlusHeads& found, const std::string& title) {
  report::LineChart chart{
      title, "layer", kTau, numbers_from(1, static_cast<std::size_t>(found.layers)), {}};
  add_lines(chart, {"max", "sum"}, found.layer_sweep);
  return report::drawn(chart);
}

Drawing states_chart(const draft::PldPlusLayer& found, const std::string& title) {
  const std::size_t layers = found.by_layer.size();
  report::LineChart chart{title, "layer", kTau, numbers_from(0, layers), {}};
  add_lines(chart, {"all answers"}, found.by_layer);
  for (std::size_t i = 0; i * layers < found.by_layer_at.size(); ++i)
    add_lines(chart, {temperature_name(found.temperatures[i])},
              std::span(found.by_layer_at).subspan(i * layers, layers));
  return report::drawn(chart);
}

Drawing map_of_hits(const draft::PldPlusHeads& found) {
  const std::vector<double> shares = draft::hit_shares(found);
  report::HeatMap map;
  map.title = "Copied tokens whose source has a head's largest attention, in percent";
  map.row_name = "layer";
  map.column_name = "head";
  for (int layer = 1; layer <= found.layers; ++layer) map.rows.push_back(layer);
  for (int head = 0; head < found.heads; ++head) map.columns.push_back(head);
  map.panels = {""};
  map.by_logarithm = false;
  map.value = [&](std::size_t, int layer, int head) {
    return 100 * shares[static_cast<std::size_t>((layer - 1) * found.heads + head)];
  };
  return report::drawn(map);
}

}  // namespace

std::string plot_of(const draft::PldPlusHeads& found) {
  const std::string drafts = fmt::format("drafts of {}", found.draft_length);
  const std::string chosen = fmt::format("{} heads, {}", found.chosen, found.aggregation);
  const Drawing sweeps = report::beside(
      {heads_chart(found, fmt::format("heads with the most hits, {}; chosen: {}", drafts, chosen)),
       whole_layers_chart(found, fmt::format("all heads of one layer, {}", drafts))});
  return report::svg_of(report::beside({map_of_hits(found), sweeps}));
}

std::string plot_of(const draft::PldPlusLayer& found) {
  const std::string drafts = fmt::format("drafts of {}", found.draft_length);
  std::vector<Drawing> curves = {states_chart(
      found, fmt::format("states of one layer, {}; chosen: {}", drafts, found.chosen))};
  report::LineChart means{fmt::format("means of states of layer {}, {}", found.chosen, drafts),
                          "last positions averaged",
                          kTau,
                          numbers_from(1, found.by_mean.size()),
                          {}};
  add_lines(means, {"all answers"}, found.by_mean);
  curves.push_back(report::drawn(means));
  report::LineChart weights{fmt::format("logits added to states of layer {}, {}; chosen: {}",
                                        found.chosen, drafts, found.logit_weight),
                            "weight of a logit",
                            kTau,
                            found.logit_weights,
                            {}};
  add_lines(weights, {"all answers"}, found.by_logit_weight);
  const std::size_t count = found.logit_weights.size();
  for (std::size_t i = 0; i < found.temperatures.size(); ++i)
    add_lines(weights, {temperature_name(found.temperatures[i])},
              std::span(found.by_logit_weight_at).subspan(i * count, count));
  curves.push_back(report::drawn(weights));
  return report::svg_of(report::beside(curves));
}

}  // namespace outrider::calibrate
