#include "runtime/commands/coloured_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace outrider {
namespace {

// Colours of ECMA-48: cyan, yellow, green, magenta, blue, red.
constexpr std::array<int, 6> kColours = {36, 33, 32, 35, 34, 31};

/// The colour of a token of the answer; 0 where it was not copied.
int colour_of(int token, const std::vector<decode::CopiedSpan>& spans) {
  const auto after =
      std::find_if(spans.begin(), spans.end(), [&](const auto& span) { return token < span.end; });
  if (after == spans.end() || token < after->begin) return 0;
  return kColours[static_cast<std::size_t>(after - spans.begin()) % kColours.size()];
}

}  // namespace

std::string ColouredText::add(std::size_t made, const std::string& text) {
  ends_.push_back(made);
  return up_to(copied_.decided(), text);
}

std::string ColouredText::rest(const std::string& text) {
  std::string out = up_to(static_cast<int>(ends_.size()), text);
  out += text.substr(shown_);
  shown_ = text.size();
  colour(0, out);
  return out;
}

std::string ColouredText::up_to(int token, const std::string& text) {
  const std::vector<decode::CopiedSpan> spans = copied_.spans();
  std::string out;
  while (token_ < token) {
    const std::size_t end = ends_[static_cast<std::size_t>(token_)];
    const std::size_t there = std::min(end, text.size());
    if (there > shown_) {
      colour(colour_of(token_, spans), out);
      out.append(text, shown_, there - shown_);
      shown_ = there;
    }
    if (end > text.size()) break;
    ++token_;
  }
  return out;
}

void ColouredText::colour(int wanted, std::string& out) {
  if (wanted == colour_) return;
  out += fmt::format("\x1b[{}m", wanted);
  colour_ = wanted;
}

}  // namespace outrider
