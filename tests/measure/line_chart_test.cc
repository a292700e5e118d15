#include "runtime/measure/line_chart.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace outrider::measure {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST(LineChart, LinesGoFromTheLowestValueAtTheBottomToTheHighestAtTheTop) {
  const LineChart chart{"t", "x", {1, 2, 5}, {{"one", {10, 20, 30}}, {"two", {30, 10, 10}}}};
  const std::string svg = svg_of({chart});
  // 420 by 240 pixels from (60, 50).
  EXPECT_NE(svg.find("points=\"60.0,290.0 165.0,170.0 480.0,50.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find("points=\"60.0,50.0 165.0,290.0 480.0,290.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find(">two<"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(LineChart, ChartsStandSideBySide) {
  const LineChart chart{"t", "x", {1, 2}, {{"one", {1, 1}}}};
  const std::string svg = svg_of({chart, chart});
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_NE(svg.find("points=\"660.0,"), std::string::npos) << svg;
}

TEST(LineChart, ALineMustHaveAValueForEveryPoint) {
  EXPECT_THROW(svg_of({LineChart{"t", "x", {1, 2}, {{"one", {1}}}}}), std::logic_error);
}

}  // namespace
}  // namespace outrider::measure
