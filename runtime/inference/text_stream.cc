#include "runtime/inference/text_stream.h"

#include "runtime/base/output.h"

namespace outrider {

TextStream::TextStream(const text::Tokenizer& tokenizer, const std::vector<std::string>& stops,
                       bool shown)
    : detokenizer_(tokenizer), stops_(stops), shown_(shown) {}

bool TextStream::push(Token token) {
  const std::string part = detokenizer_.push(token);
  made_ += part.size();
  add(stops_.push(part));
  return !stops_.stopped();
}

void TextStream::finish() {
  add(stops_.push(detokenizer_.flush()));
  add(stops_.flush());
  if (shown_ && (text_.empty() || text_.back() != '\n')) write_output("\n");
}

void TextStream::add(const std::string& part) {
  if (part.empty()) return;
  text_ += part;
  if (shown_) write_output(part);
}

}  // namespace outrider
