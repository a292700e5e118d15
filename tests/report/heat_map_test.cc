#include "runtime/report/heat_map.h"

#include <gtest/gtest.h>

namespace outrider::report {
namespace {

TEST(HeatMap, HasACellWithItsNumberForEveryPairOfEveryPanel) {
  const HeatMap map = {
      "t", "k", "w", {1, 2}, {1, 2, 3}, {"one", "two"}, [](std::size_t panel, int row, int column) {
        return static_cast<double>(panel) * 100 + row * 10 + column;
      }};
  const Drawing drawing = drawn(map);
  const std::string& svg = drawing.svg;
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1))
    ++cells;
  EXPECT_EQ(cells, 12U);
  EXPECT_NE(svg.find(">123.0<"), std::string::npos);
  EXPECT_EQ(svg.find(">123.00<"), std::string::npos);
  EXPECT_NE(svg.find("<g fill=\"white\"><text x=\"297.0\" y=\"125.0\""), std::string::npos) << svg;
  EXPECT_EQ(svg.find("<g fill=\"white\"><text x=\"77.0\""), std::string::npos) << svg;
  EXPECT_EQ(drawing.width, 60 + 2 * (3 * 34 + 50));
}

}  // namespace
}  // namespace outrider::report
