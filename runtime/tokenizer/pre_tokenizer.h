#pragma once

#include <cstdint>
#include <memory>
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

/// The patterns by which byte-level tokenizers split text.
enum class WordPattern : std::uint8_t {
  kGpt2,
  kDigitsAndGpt2,  // every digit a word, then GPT-2's
  kLlama3,
  kQwen2,
  kO200k,
  kBloom,
};

/// What a pre-tokenizer's name in a GGUF file stands for.
struct NamedPreTokenizer {
  std::string_view name;
  WordPattern pattern;
  bool is_llama3 = false;     // words that are tokens are not merged, and texts begin with a token
  bool makes_form_c = false;  // texts are put in Unicode's normal form C first
};

/// The pre-tokenizer of this name, as in GGUF files: many names stand for few patterns. nullptr: none is known.
const NamedPreTokenizer* find_pre_tokenizer(std::string_view name);
/// The same. @throws InputError listing the known names
const NamedPreTokenizer& named_pre_tokenizer(std::string_view name);

std::unique_ptr<PreTokenizer> make_pre_tokenizer(WordPattern pattern);

}  // namespace outrider::text
