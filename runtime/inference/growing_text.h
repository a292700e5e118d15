#pragma once

#include <functional>
#include <string>

#include "runtime/base/token.h"
#include "runtime/decode/attribution.h"
#include "runtime/draft/origin.h"
#include "runtime/inference/text_stream.h"

namespace outrider::inference {

/// A text during generation.
struct TextSoFar {
  const std::string& text;            // whole characters, before any stop string
  std::size_t made;                   // bytes of the tokens so far, including those held back
  const decode::Attribution& copied;  // of the tokens so far
  bool ended;
};
/// Called after each token and once when the text has ended.
using OnText = std::function<void(const TextSoFar&)>;

/// A text that grows by tokens: its characters, and where they were copied from.
class GrowingText {
 public:
  /// @param stops    it ends before the first of these
  /// @param on_text  may be empty; both must outlive it
  GrowingText(const text::Tokenizer& tokenizer, const std::vector<std::string>& stops,
              int prompt_tokens, int min_span, const OnText& on_text)
      : copied_(prompt_tokens, min_span), stream_(tokenizer, stops), on_text_(on_text) {}

  /// @return false once a stop string is complete
  bool push(Token token, const draft::Origin& origin) {
    copied_.push(origin.position);
    const bool goes_on = stream_.push(token);
    tell(false);
    return goes_on;
  }
  void finish() {
    stream_.finish();
    tell(true);
  }

  const std::string& text() const { return stream_.text(); }
  std::vector<decode::CopiedSpan> copied() const { return copied_.spans(); }

 private:
  void tell(bool ended) {
    if (on_text_) on_text_({stream_.text(), stream_.made(), copied_, ended});
  }

  decode::Attribution copied_;
  TextStream stream_;
  const OnText& on_text_;
};

}  // namespace outrider::inference
