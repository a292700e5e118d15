#include "runtime/report/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace outrider::report {
namespace {

TEST(LineChart, LinesGoFromTheLowestValueAtTheBottomToTheHighestAtTheTop) {
  const LineChart chart{"t", "x", "y", {1, 2, 5}, {{"one", {10, 20, 30}}, {"two", {30, 10, 10}}}};
  const std::string svg = drawn(chart).svg;
  // 420 by 240 pixels from (60, 50).
  EXPECT_NE(svg.find("points=\"60.0,290.0 165.0,170.0 480.0,50.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find("points=\"60.0,50.0 165.0,290.0 480.0,290.0 \""), std::string::npos) << svg;
  for (const char* words : {">t<", ">x<", ">y<", ">one<", ">two<", ">5<", ">20<"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(LineChart, PointsMayLieByTheirLogarithm) {
  const LineChart chart{"t", "x", "y", {1, 10, 99, 100}, {{"", {0, 1, 2, 3}}}, true};
  const std::string svg = drawn(chart).svg;
  EXPECT_NE(svg.find("points=\"60.0,290.0 270.0,210.0 "), std::string::npos) << svg;
  EXPECT_EQ(svg.find(">100<"), std::string::npos);  // there is no room beside 99
}

TEST(LineChart, TheVerticalAxisHasRoundNumbers) {
  const auto numbers = [](double low, double high) {
    const std::string svg = drawn(LineChart{"t", "x", "y", {7, 8}, {{"", {low, high}}}}).svg;
    std::string found;
    const std::string anchor = "text-anchor=\"end\">";
    for (std::size_t at = svg.find(anchor); at != std::string::npos; at = svg.find(anchor, at + 1))
      found += svg.substr(at + anchor.size(), svg.find('<', at) - at - anchor.size()) + " ";
    return found;
  };
  EXPECT_EQ(numbers(1.442, 1.472), "1.45 1.46 1.47 ");
  EXPECT_EQ(numbers(3, 171), "50 100 150 ");
  EXPECT_EQ(numbers(0, 10), "0 5 10 ");
  EXPECT_EQ(numbers(-2, 0.4), "-2 -1.5 -1 -0.5 0 ");
  EXPECT_EQ(numbers(4, 4), "4 ");
  EXPECT_EQ(numbers(1000, std::nextafter(1000, 2000)), "1000 ") << "they differ by rounding";
}

TEST(LineChart, ALineMustHaveAValueForEveryPoint) {
  EXPECT_THROW(drawn(LineChart{"t", "x", "y", {1, 2}, {{"one", {1}}}}), std::logic_error);
}

}  // namespace
}  // namespace outrider::report
