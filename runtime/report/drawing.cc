#include "runtime/report/drawing.h"

#include <fmt/core.h>

#include <algorithm>

namespace outrider::report {
namespace {

std::string escaped(const std::string& words) {
  std::string text;
  for (const char letter : words) {
    if (letter == '&') {
      text += "&amp;";
    } else if (letter == '<') {
      text += "&lt;";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string moved(const Drawing& part, int x, int y) {
  return fmt::format("<g transform=\"translate({},{})\">\n{}</g>\n", x, y, part.svg);
}

}  // namespace

Drawing beside(const std::vector<Drawing>& parts) {
  Drawing all;
  for (const Drawing& part : parts) {
    all.svg += moved(part, all.width, 0);
    all.width += part.width;
    all.height = std::max(all.height, part.height);
  }
  return all;
}

Drawing below(const std::vector<Drawing>& parts) {
  Drawing all;
  for (const Drawing& part : parts) {
    all.svg += moved(part, 0, all.height);
    all.width = std::max(all.width, part.width);
    all.height += part.height;
  }
  return all;
}

std::string svg_text(double x, double y, const std::string& anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(words));
}

std::string svg_of(const Drawing& drawing) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" style=\"background:white\" font-family=\"sans-serif\" font-size=\"11\">\n{2}</svg>\n",
      drawing.width, drawing.height, drawing.svg);
}

}  // namespace outrider::report
