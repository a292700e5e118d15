#pragma once

#include <string>
#include <vector>

namespace outrider::report {

/// A part of an SVG picture, drawn from (0, 0) to (width, height).
struct Drawing {
  int width = 0, height = 0;  // in pixels
  std::string svg;
};

/// Places parts from left to right.
Drawing beside(const std::vector<Drawing>& parts);
/// Places parts from top to bottom.
Drawing below(const std::vector<Drawing>& parts);

/// A line of text. @param anchor  which point of it is at x: "start", "middle" or "end"
std::string svg_text(double x, double y, const std::string& anchor, const std::string& words);

/// The complete SVG file.
std::string svg_of(const Drawing& drawing);

}  // namespace outrider::report
