#pragma once

#include <string>
#include <vector>

namespace outrider::report {

/// A part of an SVG picture, drawn from (0, 0) to (width, height).
struct Drawing {
  int width = 0, height = 0;  // in pixels
  std::string svg;
};

/// The parts from left to right.
Drawing beside(const std::vector<Drawing>& parts);
/// The parts from the top down.
Drawing below(const std::vector<Drawing>& parts);

/// A line of text. @param anchor  what of it lies at x: "start", "middle" or "end"
std::string svg_text(double x, double y, const std::string& anchor, const std::string& words);

/// The whole picture.
std::string svg_of(const Drawing& drawing);

}  // namespace outrider::report
