#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Bytes [begin, end) of a text.
struct TextSpan {
  std::size_t begin;
  std::size_t end;
};

/// A prompt with its literal parts marked: special tokens are recognised in the markup of a chat format,
/// but not in the literal text of messages.
class PromptText {
 public:
  /// Adds markup, in which special tokens are recognised.
  void mark(std::string_view marks) { text_ += marks; }

  /// Adds literal text.
  void add_literal(std::string_view text) {
    if (!text.empty()) literals_.push_back({text_.size(), text_.size() + text.size()});
    text_ += text;
  }

  const std::string& text() const { return text_; }
  /// The literal parts, ascending, none empty.
  const std::vector<TextSpan>& literals() const { return literals_; }

 private:
  std::string text_;
  std::vector<TextSpan> literals_;
};

}  // namespace outrider::text
