#include "runtime/tokenizer/pre_tokenizer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

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

class O200kPreTokenizer : public PreTokenizer {
 public:
  void split(std::string_view text, std::vector<std::string_view>& words) const override {
    split_o200k_words(text, words);
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

constexpr NamedPreTokenizer kNames[] = {
    {"gpt-2", WordPattern::kGpt2},
    {"phi-2", WordPattern::kGpt2},
    {"mpt", WordPattern::kGpt2},
    {"olmo", WordPattern::kGpt2},
    {"jais", WordPattern::kGpt2},
    {"trillion", WordPattern::kGpt2},
    {"granite-docling", WordPattern::kGpt2},
    {"gigachat", WordPattern::kGpt2},
    {"a.x-4.0", WordPattern::kGpt2},
    {"mellum", WordPattern::kGpt2},
    {"smollm", WordPattern::kDigitsAndGpt2},
    {"starcoder", WordPattern::kDigitsAndGpt2},
    {"refact", WordPattern::kDigitsAndGpt2},
    {"command-r", WordPattern::kDigitsAndGpt2},
    {"codeshell", WordPattern::kDigitsAndGpt2},
    {"exaone", WordPattern::kDigitsAndGpt2},
    {"minerva-7b", WordPattern::kDigitsAndGpt2},
    {"llama-bpe", WordPattern::kLlama3, true},
    {"llama3", WordPattern::kLlama3, true},
    {"llama-v3", WordPattern::kLlama3, true},
    {"falcon3", WordPattern::kLlama3, true},
    {"pixtral", WordPattern::kLlama3, true},
    {"midm-2.0", WordPattern::kLlama3, true},
    {"lfm2", WordPattern::kLlama3, true},
    {"dbrx", WordPattern::kLlama3},
    {"smaug-bpe", WordPattern::kLlama3},
    {"glm4", WordPattern::kLlama3},
    {"chatglm-bpe", WordPattern::kLlama3},
    {"qwen2", WordPattern::kQwen2, false, true},
    {"deepseek-r1-qwen", WordPattern::kQwen2, false, true},
    {"kormo", WordPattern::kQwen2},
    {"megrez", WordPattern::kQwen2},
    {"stablelm2", WordPattern::kQwen2},
    {"hunyuan", WordPattern::kQwen2},
    {"grok-2", WordPattern::kQwen2},
    {"gpt-4o", WordPattern::kO200k},
    {"llama4", WordPattern::kO200k},
    {"kanana2", WordPattern::kO200k},
    {"talkie", WordPattern::kO200k},
    {"bloom", WordPattern::kBloom},
    {"poro-chat", WordPattern::kBloom},
    {"gpt3-finnish", WordPattern::kBloom},
};

}  // namespace

const NamedPreTokenizer* find_pre_tokenizer(std::string_view name) {
  for (const NamedPreTokenizer& named : kNames)
    if (named.name == name) return &named;
  return nullptr;
}

const NamedPreTokenizer& named_pre_tokenizer(std::string_view name) {
  if (const NamedPreTokenizer* named = find_pre_tokenizer(name)) return *named;
  std::vector<std::string_view> names;
  for (const NamedPreTokenizer& named : kNames) names.push_back(named.name);
  throw InputError(
      fmt::format("the tokenizer's pre-tokenizer is '{}'; expected one this version knows: {}",
                  name, fmt::join(names, ", ")));
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(WordPattern pattern) {
  switch (pattern) {
    case WordPattern::kGpt2:
      return std::make_unique<Gpt2PreTokenizer>();
    case WordPattern::kDigitsAndGpt2:
      return std::make_unique<SmolLmPreTokenizer>();
    case WordPattern::kLlama3:
      return std::make_unique<Llama3PreTokenizer>(3);
    case WordPattern::kQwen2:
      return std::make_unique<Llama3PreTokenizer>(1);
    case WordPattern::kO200k:
      return std::make_unique<O200kPreTokenizer>();
    case WordPattern::kBloom:
      break;
  }
  return std::make_unique<BloomPreTokenizer>();
}

}  // namespace outrider::text
