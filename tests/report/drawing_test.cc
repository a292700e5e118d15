#include "runtime/report/drawing.h"

#include <gtest/gtest.h>

namespace outrider::report {
namespace {

TEST(Drawing, PartsAreBesideOrBelowEachOther) {
  const Drawing one = {10, 40, "one"}, two = {20, 30, "two"};
  const Drawing row = beside({one, two});
  EXPECT_EQ(row.width, 30);
  EXPECT_EQ(row.height, 40);
  EXPECT_NE(row.svg.find("<g transform=\"translate(10,0)\">\ntwo</g>"), std::string::npos)
      << row.svg;
  const Drawing column = below({one, two});
  EXPECT_EQ(column.width, 20);
  EXPECT_EQ(column.height, 70);
  EXPECT_NE(column.svg.find("<g transform=\"translate(0,40)\">\ntwo</g>"), std::string::npos);
  const std::string svg = svg_of(column);
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"70\"", 0),
            0U);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(Drawing, WordsAreNotTakenForMarks) {
  EXPECT_NE(svg_text(1, 2, "end", "a < b & c").find(">a &lt; b &amp; c</text>"), std::string::npos);
}

}  // namespace
}  // namespace outrider::report
