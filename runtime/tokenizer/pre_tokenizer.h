#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Splits text into words; tokens are merged within words only.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Appends the words of `text`, valid UTF-8, in order; together they are the whole text.
  virtual void split(std::string_view text, std::vector<std::string_view>& words) const = 0;
};

/// The pre-tokenizer of this name, as in GGUF files.
/// @throws InputError listing the known names
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const std::string& name);

}  // namespace outrider::text
