#include "runtime/measure/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace outrider::measure {
namespace {

constexpr int kWidth = 420, kHeight = 240;  // of the area that lines are drawn in
constexpr int kLeft = 60, kTop = 50, kRight = 120, kBottom = 50;
constexpr int kSteps = 4;  // of the vertical axis

constexpr std::array kColours = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                 "#ff7f0e", "#17becf", "#7f7f7f"};

std::string text(double x, double y, const std::string& anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     words);
}

/// Where numbers lie on an axis.
struct Scale {
  double low, high;
  int from, to;  // in pixels
  double at(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : from;
  }
};

std::string drawn(const LineChart& chart, int left) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const std::vector<double>& line = chart.lines[i].second;
    if (line.size() != chart.x.size() || line.empty())
      throw std::logic_error("LineChart: a line differs from the points");
    const auto [least, most] = std::minmax_element(line.begin(), line.end());
    low = i == 0 ? *least : std::min(low, *least);
    high = i == 0 ? *most : std::max(high, *most);
  }
  const Scale x{chart.x.front(), chart.x.back(), left, left + kWidth};
  const Scale y{low, high, kTop + kHeight, kTop};
  std::string svg =
      text(left, kTop - 20, "start", chart.title) +
      text(left + kWidth / 2.0, kTop + kHeight + 36, "middle", chart.x_name) +
      text(left, kTop + kHeight + 18, "middle", fmt::format("{}", chart.x.front())) +
      text(left + kWidth, kTop + kHeight + 18, "middle", fmt::format("{}", chart.x.back()));
  for (int step = 0; step <= kSteps; ++step) {
    const double value = low + (high - low) * step / kSteps;
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       left, left + kWidth, y.at(value), y.at(value));
    svg += text(left - 6, y.at(value) + 4, "end", fmt::format("{:.4g}", value));
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const auto& [name, line] = chart.lines[i];
    const char* colour = kColours[i % kColours.size()];
    std::string points;
    for (std::size_t p = 0; p < line.size(); ++p)
      points += fmt::format("{:.1f},{:.1f} ", x.at(chart.x[p]), y.at(line[p]));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", points, colour);
    svg += fmt::format(
        "<g fill=\"{}\">{}</g>\n", colour,
        text(left + kWidth + 8, kTop + 14.0 * static_cast<double>(i) + 4, "start", name));
  }
  return svg;
}

}  // namespace

std::string svg_of(const std::vector<LineChart>& charts) {
  constexpr int kChart = kLeft + kWidth + kRight;
  std::string svg;
  for (std::size_t i = 0; i < charts.size(); ++i)
    svg += drawn(charts[i], kLeft + static_cast<int>(i) * kChart);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n{}</svg>\n",
      static_cast<int>(charts.size()) * kChart, kTop + kHeight + kBottom, svg);
}

}  // namespace outrider::measure
