#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Bytes of a text, from `begin` to before `end`.
struct TextSpan {
  std::size_t begin;
  std::size_t end;
};

/// A text for a model that knows which of its parts somebody said: special tokens written out in the
/// marks of a chat format become those tokens, what a user types stays text.
class PromptText {
 public:
  /// Adds what a format writes around messages.
  void mark(std::string_view marks) { text_ += marks; }

  /// Adds what somebody said.
  void say(std::string_view words) {
    if (!words.empty()) said_.push_back({text_.size(), text_.size() + words.size()});
    text_ += words;
  }

  const std::string& text() const { return text_; }
  /// In rising order, none empty.
  const std::vector<TextSpan>& said() const { return said_; }

 private:
  std::string text_;
  std::vector<TextSpan> said_;
};

}  // namespace outrider::text
