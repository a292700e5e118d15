#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::jinja {

/// Which input a part of a text was copied from. The template's own literals have none.
using Source = int;

/// Input of which it is not known, or no longer, what it was copied from.
constexpr Source kSomeInput = -1;

/// Bytes [begin, end) of a text that were copied from an input.
struct Copied {
  std::size_t begin;
  std::size_t end;
  Source source;
};

/// A string that remembers which of its bytes came from the template's inputs, however it is cut and
/// joined, so that special tokens typed by a user can be told from the template's own.
class Text {
 public:
  Text() = default;
  /// A literal of the template.
  explicit Text(std::string literal) : bytes_(std::move(literal)) {}
  /// An input.
  Text(std::string input, Source source);

  const std::string& bytes() const { return bytes_; }
  /// The parts that were copied from inputs, ascending and apart from each other or of different
  /// sources, none empty.
  const std::vector<Copied>& copied() const { return copied_; }
  /// Escaped for HTML, or called safe: what is added to it by + is escaped first. That is Jinja's Markup.
  bool is_markup() const { return is_markup_; }
  Text as_markup() const {
    Text markup = *this;
    markup.is_markup_ = true;
    return markup;
  }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  void append(std::string_view literal) { bytes_ += literal; }
  void append(const Text& other) { append_part(other, 0, other.size()); }
  /// Appends bytes [begin, end) of another text.
  void append_part(const Text& other, std::size_t begin, std::size_t end);
  /// Appends bytes that were made from bytes [begin, end) of another text, such as their capitals:
  /// an input's if any of those are.
  void append_made(std::string_view made, const Text& from, std::size_t begin, std::size_t end);
  void append_made(std::string_view made, const Text& from) {
    append_made(made, from, 0, from.size());
  }

  Text part(std::size_t begin, std::size_t end) const;

 private:
  /// The first copied part that ends after an offset.
  std::vector<Copied>::const_iterator first_after(std::size_t begin) const;
  void mark(std::size_t begin, std::size_t end, Source source);

  std::string bytes_;
  std::vector<Copied> copied_;
  bool is_markup_ = false;
};

}  // namespace outrider::jinja
