#include "runtime/prompt_files/marked_answer.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace outrider::text {
namespace {

/// Reads a number at the start of a text and the string required after it. @return bytes of both
std::optional<std::size_t> read_number(std::string_view text, std::string_view suffix,
                                       int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || !text.substr(digits).starts_with(suffix)) return std::nullopt;
  return digits + suffix.size();
}

constexpr std::string_view kOpen = "[ ", kClose = " ]", kHeading = "Source ";

}  // namespace

MarkedAnswer read_marked_answer(std::string_view marked) {
  MarkedAnswer answer;
  while (!marked.empty()) {
    const std::size_t open = std::min(marked.find(kOpen), marked.size());
    answer.text += marked.substr(0, open);
    marked.remove_prefix(open);
    if (marked.empty()) break;
    int source = 0;
    const auto number = read_number(marked.substr(kOpen.size()), " ", source);
    const std::size_t close = marked.find(kClose);
    const std::size_t begin = kOpen.size() + number.value_or(0);
    if (!number || close == std::string_view::npos || close < begin) {  // ordinary brackets
      answer.text += kOpen;
      marked.remove_prefix(kOpen.size());
      continue;
    }
    const std::size_t at = answer.text.size();
    answer.text += marked.substr(begin, close - begin);
    answer.spans.push_back({at, answer.text.size(), source});
    marked.remove_prefix(close + kClose.size());
  }
  return answer;
}

std::vector<SourceSpan> find_sources(std::string_view prompt) {
  std::vector<SourceSpan> sources;
  bool inside = false;
  for (std::size_t line = 0; line < prompt.size();) {
    const std::string_view rest = prompt.substr(line);
    int source = 0;
    const bool begins = rest.starts_with(kHeading) &&
                        read_number(rest.substr(kHeading.size()), " (", source).has_value();
    if (begins || rest.starts_with("Question:")) {
      if (inside) sources.back().end = line;
      inside = begins;
      if (begins) sources.push_back({line, prompt.size(), source});
    }
    line += std::min(rest.find('\n'), rest.size() - 1) + 1;
  }
  return sources;
}

}  // namespace outrider::text
