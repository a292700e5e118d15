#include "runtime/chat/chat_template.h"

#include <cctype>
#include <cstddef>

namespace outrider::text {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads Jinja text and writes its normal form.
class TemplateNormaliser {
 public:
  explicit TemplateNormaliser(std::string_view jinja) : rest_(jinja) {}

  std::string run() {
    if (rest_.ends_with('\n')) rest_.remove_suffix(1);  // like Jinja
    while (!rest_.empty()) {
      if (rest_.starts_with("{%") || rest_.starts_with("{{")) {
        tag();
      } else {
        out_ += take();
      }
    }
    return out_;
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void trim_before() {
    while (!out_.empty() && is_space(out_.back())) out_.pop_back();
  }
  void trim_after() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  /// The rest of a quoted literal after its opening quote.
  void literal(char quote) {
    out_ += '\'';
    while (!rest_.empty() && rest_.front() != quote) {
      char c = take();
      if (c == '\\' && !rest_.empty()) {
        const char escaped = take();
        if (escaped == 'n') {
          c = '\n';
        } else if (escaped == '\'' || escaped == '"') {
          c = escaped;
        } else {  // unchanged: no known template has another escape
          out_ += c;
          c = escaped;
        }
      }
      if (c == '\'') out_ += '\\';
      out_ += c;
    }
    if (!rest_.empty()) take();
    out_ += '\'';
  }

  /// A statement or an expression. A dash at its edge removes the white space beside it, and is then
  /// dropped.
  void tag() {
    out_ += take();
    const char kind = take();
    if (!rest_.empty() && rest_.front() == '-') {
      take();
      out_.pop_back();
      trim_before();
      out_ += '{';
    }
    out_ += kind;
    const char close = kind == '{' ? '}' : kind;
    while (!rest_.empty()) {
      if (rest_.size() >= 2 && rest_[0] == close && rest_[1] == '}') return end(false);
      if (rest_.size() >= 3 && rest_[0] == '-' && rest_[1] == close && rest_[2] == '}') {
        return end(true);
      }
      const char c = take();
      if (c == '\'' || c == '"') {
        literal(c);
      } else if (!is_space(c)) {
        out_ += c;
      } else if (is_word(out_.back())) {
        trim_after();  // one space stays between two words
        if (!rest_.empty() && is_word(rest_.front())) out_ += ' ';
      }
    }
  }

  /// The closing mark. Templates are run with trim_blocks: the newline after a statement is removed.
  void end(bool dash) {
    if (dash) take();
    const bool statement = rest_.front() == '%';
    out_ += take();
    out_ += take();
    if (dash) {
      trim_after();
    } else if (statement && rest_.starts_with('\n')) {
      take();
    }
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

std::string normalise_template(std::string_view jinja) { return TemplateNormaliser(jinja).run(); }

std::uint64_t template_hash(std::string_view jinja) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char byte : normalise_template(jinja)) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3;
  }
  return hash;
}

std::optional<ChatLayout> recognise_template(std::string_view jinja) {
  return known_layout(template_hash(jinja));
}

}  // namespace outrider::text
