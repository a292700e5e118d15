#include "runtime/report/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace outrider::report {
namespace {

constexpr int kWidth = 420, kHeight = 240;  // of the plotting area
constexpr int kLeft = 60, kTop = 50, kRight = 120, kBottom = 50;
constexpr double kLetter = 7;            // approximate width of a letter
constexpr double kSmallestRange = 1e-9;  // of the numbers shown, relative to the largest

constexpr std::array kColours = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                 "#ff7f0e", "#17becf", "#7f7f7f"};

/// Maps numbers to positions on an axis.
struct Scale {
  double low, high;
  int from, to;  // in pixels
  double at(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : from;
  }
};

/// 1, 2 or 5 times a power of ten, so that at most five steps fit into the range.
double step_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range)));
  for (const double step : {0.5 * power, power})
    if (range <= 5 * step) return step;
  return 2 * power;
}

std::string vertical_axis(const Scale& y, const std::string& name) {
  std::string svg = fmt::format("<g transform=\"rotate(-90 14 {0})\">{1}</g>\n", kTop + kHeight / 2,
                                svg_text(14, kTop + kHeight / 2.0, "middle", name));
  const auto line = [&](double value) {
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       kLeft, kLeft + kWidth, y.at(value), y.at(value));
    svg += svg_text(kLeft - 6, y.at(value) + 4, "end", fmt::format("{:.5g}", value));
  };
  // Numbers that differ by rounding only have no steps between them that could be counted.
  if (!(y.high - y.low > kSmallestRange * std::max(std::abs(y.low), std::abs(y.high)))) {
    line(y.low);
    return svg;
  }
  const double step = step_of(y.high - y.low);
  for (double i = std::ceil(y.low / step); i * step <= y.high; ++i) line(i * step);
  return svg;
}

/// A mark at every point, and its number where there is room.
std::string horizontal_axis(const LineChart& chart, const std::vector<double>& positions) {
  std::string svg = svg_text(kLeft + kWidth / 2.0, kTop + kHeight + 38, "middle", chart.x_name);
  double written = -kWidth;  // up to where
  for (std::size_t p = 0; p < positions.size(); ++p) {
    svg +=
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#888\"/>\n",
                    positions[p], kTop + kHeight, kTop + kHeight + 4);
    const std::string number = fmt::format("{}", chart.x[p]);
    const double half = kLetter * static_cast<double>(number.size()) / 2;
    if (positions[p] - half < written + kLetter / 2) continue;
    svg += svg_text(positions[p], kTop + kHeight + 18, "middle", number);
    written = positions[p] + half;
  }
  return svg;
}

}  // namespace

Drawing drawn(const LineChart& chart) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const std::vector<double>& line = chart.lines[i].second;
    if (line.size() != chart.x.size() || line.empty())
      throw std::logic_error("LineChart: a line differs from the points");
    const auto [least, most] = std::minmax_element(line.begin(), line.end());
    low = i == 0 ? *least : std::min(low, *least);
    high = i == 0 ? *most : std::max(high, *most);
  }
  const auto across = [&](double x) { return chart.by_logarithm ? std::log(x) : x; };
  const Scale x{across(chart.x.front()), across(chart.x.back()), kLeft, kLeft + kWidth};
  const Scale y{low, high, kTop + kHeight, kTop};
  std::vector<double> positions;
  for (const double point : chart.x) positions.push_back(x.at(across(point)));
  std::string svg = svg_text(kLeft, kTop - 20, "start", chart.title) +
                    vertical_axis(y, chart.y_name) + horizontal_axis(chart, positions);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const auto& [name, line] = chart.lines[i];
    const char* colour = kColours[i % kColours.size()];
    std::string points;
    for (std::size_t p = 0; p < line.size(); ++p)
      points += fmt::format("{:.1f},{:.1f} ", positions[p], y.at(line[p]));
    svg +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                    points, colour);
    svg += fmt::format(
        "<g fill=\"{}\">{}</g>\n", colour,
        svg_text(kLeft + kWidth + 8, kTop + 14.0 * static_cast<double>(i) + 4, "start", name));
  }
  return {kLeft + kWidth + kRight, kTop + kHeight + kBottom, svg};
}

}  // namespace outrider::report
