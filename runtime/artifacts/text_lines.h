#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace outrider::artifacts {

/// The lines of a text, each of which ends with a line end.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// A line for each text.
template <typename Texts>
std::string as_lines(const Texts& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + '\n';
  return lines;
}

}  // namespace outrider::artifacts
