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
  Token token = 0;                        // the last one
  const draft::Origin* origin = nullptr;  // of it; nullptr once the text has ended
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
    last_ = token;
    copied_.push(origin.position);
    const bool goes_on = stream_.push(token);
    tell(&origin);
    return goes_on;
  }
  void finish() {
    stream_.finish();
    tell(nullptr);
  }

  const std::string& text() const { return stream_.text(); }
  std::vector<decode::CopiedSpan> copied() const { return copied_.spans(); }

 private:
  void tell(const draft::Origin* origin) {
    if (on_text_)
      on_text_({stream_.text(), stream_.made(), copied_, origin == nullptr, last_, origin});
  }

  decode::Attribution copied_;
  TextStream stream_;
  const OnText& on_text_;
  Token last_ = 0;
};

}  // namespace outrider::inference
