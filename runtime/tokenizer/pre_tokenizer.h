#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Cuts text into the words within which tokens are merged; no token spans two of them.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Appends the words of `text`, valid UTF-8, in order; together they are all of it.
  virtual void split(std::string_view text, std::vector<std::string_view>& words) const = 0;
};

/// The pre-tokenizer of that name, as GGUF files call them.
/// @throws InputError naming it and those known
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const std::string& name);

}  // namespace outrider::text
