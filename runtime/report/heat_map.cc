#include "runtime/report/heat_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace outrider::report {
namespace {

constexpr int kCell = 34;
constexpr int kMapLeft = 60;
constexpr int kMapTop = 70;
constexpr int kGap = 50;
constexpr int kMapLetter = 7;  // approximate width of a letter
constexpr double kDark = 0.8;  // cells above this have white numbers

/// A cell's colour, from white over yellow to dark red.
std::string colour(double share) {
  const auto level = [share](double from, double to) {
    return static_cast<int>(255 * std::clamp(1 - (share - from) / (to - from), 0.0, 1.0));
  };
  return fmt::format("rgb({},{},{})", 128 + level(0.6, 1.0) / 2, level(0.2, 1.0), level(0.0, 0.5));
}

}  // namespace

Drawing drawn(const HeatMap& map) {
  const int width = kCell * static_cast<int>(map.columns.size());
  const int height = kCell * static_cast<int>(map.rows.size());
  const auto level = [&map](double value) { return map.by_logarithm ? std::log(value) : value; };
  double low = INFINITY, high = -INFINITY;
  for (std::size_t panel = 0; panel < map.panels.size(); ++panel)
    for (const int row : map.rows)
      for (const int column : map.columns) {
        low = std::min(low, level(map.value(panel, row, column)));
        high = std::max(high, level(map.value(panel, row, column)));
      }
  std::string cells;
  for (std::size_t panel = 0; panel < map.panels.size(); ++panel) {
    const int left = kMapLeft + static_cast<int>(panel) * (width + kGap);
    cells += svg_text(left + width / 2, kMapTop - 26, "middle", map.panels[panel]);
    cells += svg_text(left + width / 2, kMapTop + height + 18, "middle", map.column_name);
    for (std::size_t c = 0; c < map.columns.size(); ++c)
      cells += svg_text(left + kCell * static_cast<int>(c) + kCell / 2, kMapTop - 6, "middle",
                        fmt::format("{}", map.columns[c]));
    for (std::size_t r = 0; r < map.rows.size(); ++r) {
      const int y = kMapTop + kCell * static_cast<int>(r);
      cells += svg_text(left - 6, y + kCell / 2 + 4, "end", fmt::format("{}", map.rows[r]));
      for (std::size_t c = 0; c < map.columns.size(); ++c) {
        const double value = map.value(panel, map.rows[r], map.columns[c]);
        const int x = left + kCell * static_cast<int>(c);
        const double share = high > low ? (level(value) - low) / (high - low) : 0;
        cells += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                             x, y, kCell - 1, kCell - 1, colour(share));
        const std::string number = svg_text(x + kCell / 2, y + kCell / 2 + 4, "middle",
                                            fmt::format("{:.{}f}", value, map.decimals));
        cells += share > kDark ? fmt::format("<g fill=\"white\">{}</g>\n", number) : number;
      }
    }
  }
  const int all = kMapLeft + static_cast<int>(map.panels.size()) * (width + kGap);
  const int title = kMapLeft + kMapLetter * static_cast<int>(map.title.size());
  return {std::max(all, title), kMapTop + height + 30,
          svg_text(kMapLeft, 18, "start", map.title) +
              svg_text(10, kMapTop - 6, "start", map.row_name) + cells};
}

}  // namespace outrider::report
