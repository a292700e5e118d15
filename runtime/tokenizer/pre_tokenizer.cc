#include "runtime/tokenizer/pre_tokenizer.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/tokenizer/unicode_class.h"
#include "runtime/tokenizer/utf8.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

class Gpt2PreTokenizer : public PreTokenizer {
 public:
  void split(std::string_view text, std::vector<std::string_view>& words) const override {
    split_gpt2_words(text, words);
  }
};

class BloomPreTokenizer : public PreTokenizer {
 public:
  void split(std::string_view text, std::vector<std::string_view>& words) const override {
    split_bloom_words(text, words);
  }
};

class Llama3PreTokenizer : public PreTokenizer {
 public:
  explicit Llama3PreTokenizer(int most_digits) : most_digits_(most_digits) {}

  void split(std::string_view text, std::vector<std::string_view>& words) const override {
    split_llama3_words(text, most_digits_, words);
  }

 private:
  int most_digits_;
};

/// Every numeric character is a separate word; the text between them is split by GPT-2's pattern, each
/// part as a whole text: the spaces before a digit are one word.
class SmolLmPreTokenizer : public PreTokenizer {
 public:
  void split(std::string_view text, std::vector<std::string_view>& words) const override {
    std::size_t begin = 0;  // of the part without numbers
    for (std::size_t i = 0; i < text.size();) {
      const Utf8Step step = read_utf8(text.substr(i));
      if (unicode_class(step.code_point) == UnicodeClass::kNumber) {
        split_gpt2_words(text.substr(begin, i - begin), words);
        words.push_back(text.substr(i, step.length));
        begin = i + step.length;
      }
      i += step.length;
    }
    split_gpt2_words(text.substr(begin), words);
  }
};

}  // namespace

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const std::string& name) {
  if (name == "smollm" || name == "starcoder" || name == "refact")  // the same under other names
    return std::make_unique<SmolLmPreTokenizer>();
  if (name == "gpt-2") return std::make_unique<Gpt2PreTokenizer>();
  if (name == "llama-bpe") return std::make_unique<Llama3PreTokenizer>(3);
  if (name == "qwen2") return std::make_unique<Llama3PreTokenizer>(1);
  if (name == "bloom") return std::make_unique<BloomPreTokenizer>();
  throw InputError(
      fmt::format("the tokenizer's pre-tokenizer is '{}'; expected one this version knows: smollm, "
                  "starcoder, refact, gpt-2, llama-bpe, qwen2, bloom",
                  name));
}

}  // namespace outrider::text
