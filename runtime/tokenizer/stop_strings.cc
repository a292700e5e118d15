#include "runtime/tokenizer/stop_strings.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

std::vector<std::size_t> borders(const std::string& stop) {
  std::vector<std::size_t> border(stop.size(), 0);
  for (std::size_t i = 1; i < stop.size(); ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && stop[length] != stop[i]) length = border[length - 1];
    border[i] = stop[length] == stop[i] ? length + 1 : 0;
  }
  return border;
}

}  // namespace

StopStrings::StopStrings(const std::vector<std::string>& stops) {
  for (const std::string& stop : stops) {
    if (stop.empty()) throw InputError("a stop string is empty; expected at least one character");
    if (const auto offset = find_invalid_utf8(stop)) {
      throw InputError(fmt::format(
          "stop string {} is not UTF-8 at byte {}; only whole characters can be matched",
          matchers_.size() + 1, *offset));
    }
    matchers_.push_back({stop, borders(stop), 0});
  }
}

void StopStrings::step(Matcher& matcher, char byte) {
  while (matcher.matched > 0 && matcher.stop[matcher.matched] != byte) {
    matcher.matched = matcher.fallback[matcher.matched - 1];
  }
  if (matcher.stop[matcher.matched] == byte) ++matcher.matched;
}

std::string StopStrings::push(std::string_view text) {
  if (stopped_) return {};
  if (matchers_.empty()) return std::string(text);
  std::size_t longest = 0;  // bytes at the end of held_ that are, or may begin, a stop string
  for (const char byte : text) {
    held_ += byte;
    longest = 0;
    std::size_t complete = 0;
    for (Matcher& matcher : matchers_) {
      step(matcher, byte);
      longest = std::max(longest, matcher.matched);
      if (matcher.matched == matcher.stop.size()) complete = std::max(complete, matcher.matched);
    }
    if (complete > 0) {
      stopped_ = true;
      held_.resize(held_.size() - complete);
      return std::exchange(held_, {});
    }
  }
  if (text.empty()) return {};
  std::string certain = held_.substr(0, held_.size() - longest);
  held_.erase(0, certain.size());
  return certain;
}

std::string StopStrings::flush() { return std::exchange(held_, {}); }

}  // namespace outrider::text
