#include "runtime/inference/text_stream.h"

namespace outrider::inference {

bool TextStream::push(Token token) {
  const std::string part = detokenizer_.push(token);
  made_ += part.size();
  text_ += stops_.push(part);
  return !stops_.stopped();
}

void TextStream::finish() {
  text_ += stops_.push(detokenizer_.flush());
  text_ += stops_.flush();
}

}  // namespace outrider::inference
