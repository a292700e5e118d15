#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/model/gguf/gguf_extra_keys.h"
#include "runtime/model/gguf/gguf_metadata.h"
#include "runtime/model/gguf/load_gguf.h"
#include "runtime/tokenizer/pre_tokenizer.h"

namespace outrider::model {
namespace {

const std::string kPrefix = "tokenizer.ggml.";

/// The keys that are read, or are without effect on ids and text, without the prefix.
constexpr std::array<std::string_view, 10> kTokenizerKeys = {
    "model",  "pre",           "tokens",        "token_type",       "merges",
    "scores", "add_bos_token", "add_eos_token", "add_space_prefix", "remove_extra_whitespaces",
};

/// The type numbers of GGUF's token_type.
text::TokenKind kind_of(std::int64_t number, std::size_t token, const GgufMetadata& metadata) {
  switch (number) {
    case 1:
      return text::TokenKind::kNormal;
    case 2:
      return text::TokenKind::kUnknown;
    case 3:
      return text::TokenKind::kControl;
    case 4:
      return text::TokenKind::kUserDefined;
    case 5:
      return text::TokenKind::kUnused;
    case 6:
      return text::TokenKind::kByte;
    default:
      metadata.fail(kPrefix + "token_type", fmt::format("{} for token {}", number, token),
                    "1 to 6");
  }
}

std::vector<text::TokenKind> read_kinds(const GgufMetadata& metadata, std::size_t tokens) {
  const std::string key = kPrefix + "token_type";
  const auto numbers = metadata.integers(key);
  if (!numbers) metadata.fail_absent(key);
  if (numbers->size() != tokens) {
    metadata.fail(key, fmt::format("of length {}", numbers->size()),
                  fmt::format("one per token, {}", tokens));
  }
  std::vector<text::TokenKind> kinds;
  for (const std::int64_t number : *numbers) {
    kinds.push_back(kind_of(number, kinds.size(), metadata));
  }
  return kinds;
}

/// Merges "a b": the first space after the first character separates the two parts.
std::vector<std::pair<std::string, std::string>> read_merges(const GgufMetadata& metadata) {
  const std::string key = kPrefix + "merges";
  std::vector<std::pair<std::string, std::string>> merges;
  const auto lines = metadata.texts(key);
  if (!lines) return merges;
  for (const std::string_view line : *lines) {
    const std::size_t space = line.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == line.size()) {
      metadata.fail(key, fmt::format("'{}' at index {}", line, merges.size()),
                    "two parts with a space between");
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

/// Byte-level BPE: merges, and the settings implied by the pre-tokenizer's name.
void read_byte_level(const GgufMetadata& metadata, text::TokenizerSpec& spec) {
  if (spec.model != "gpt2") return;  // refused as unknown when the tokenizer is built
  spec.pre = metadata.required_text(kPrefix + "pre");
  if (const text::NamedPreTokenizer* pre = text::find_pre_tokenizer(spec.pre)) {
    spec.ignore_merges = pre->is_llama3;
    if (pre->makes_form_c) spec.normaliser.push_back({text::NormalStep::Kind::kFormC, "", ""});
  }  // else it is refused when the tokenizer is built
  spec.merges = read_merges(metadata);
  if (spec.merges.empty()) metadata.fail_absent(kPrefix + "merges");
}

/// Whether only the first word of a whole text gets a space before it, not that after a special token too. GGUF has no
/// key for it. It is so for Mistral's tokenizers from the third version on, whose marks of turns are special tokens.
bool prefixes_once(const text::TokenizerSpec& spec) {
  const auto is_special = [&](std::string_view mark) {
    const auto found = std::find(spec.tokens.begin(), spec.tokens.end(), mark);
    return found != spec.tokens.end() &&
           spec.kinds[static_cast<std::size_t>(found - spec.tokens.begin())] ==
               text::TokenKind::kControl;
  };
  return is_special("[INST]") && is_special("[/INST]");
}

/// SentencePiece: scores, and marks for spaces. Merges, which some files have too, are ignored.
void read_pieces(const GgufMetadata& metadata, text::TokenizerSpec& spec) {
  auto scores = metadata.floats(kPrefix + "scores");
  if (!scores) metadata.fail_absent(kPrefix + "scores");
  spec.scores = *std::move(scores);
  if (metadata.flag(kPrefix + "remove_extra_whitespaces").value_or(false))
    metadata.fail(kPrefix + "remove_extra_whitespaces", "true", "false");
  using Kind = text::NormalStep::Kind;
  const bool prefixes = metadata.flag(kPrefix + "add_space_prefix").value_or(true);
  if (prefixes) spec.dropped_spaces = 1;
  if (prefixes && prefixes_once(spec)) {
    spec.metaspace = text::Metaspace{text::Metaspace::Prefix::kFirst, false};
    return;
  }
  if (prefixes) spec.normaliser.push_back({Kind::kPrepend, "", " "});
  spec.normaliser.push_back({Kind::kReplace, " ", text::kSpaceMark});
}

/// Phi-3's special tokens include the white space after them. GGUF has no key for that; like llama.cpp,
/// this goes by the model's name.
void add_phi3_rules(const GgufMetadata& metadata, text::TokenizerSpec& spec) {
  std::string name = metadata.text("general.name").value_or("");
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (name.find("phi-3") == std::string::npos && name.find("phi3") == std::string::npos) return;
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const text::TokenKind kind = spec.kinds[i];
    const std::string& token = spec.tokens[i];
    const bool special = kind == text::TokenKind::kControl || kind == text::TokenKind::kUserDefined;
    if (special && token != "<s>" && token != "<|endoftext|>")
      spec.added_rules[static_cast<Token>(i)].rstrip = true;
  }
}

/// The ids of tokens that begin and end texts.
void read_ends(const GgufMetadata& metadata, text::TokenizerSpec& spec) {
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  const auto token = [&](const char* name) {
    return metadata.integer(kPrefix + name + "_token_id", 0, last);
  };
  const bool pieces = spec.model == "llama";        // SentencePiece's default ids are 1 and 2
  for (const char* name : {"eos", "eot", "eom"}) {  // end of sequence, of turn, of message
    const auto id = token(name);
    if (!id) continue;
    const auto end = static_cast<Token>(*id);
    if (std::find(spec.end_tokens.begin(), spec.end_tokens.end(), end) == spec.end_tokens.end()) {
      spec.end_tokens.push_back(end);
    }
  }
  if (pieces && !token("eos") && last >= 2) spec.end_tokens.push_back(2);
  spec.bos = static_cast<Token>(token("bos").value_or(pieces && last >= 1 ? 1 : -1));
  spec.eos = static_cast<Token>(token("eos").value_or(pieces && last >= 2 ? 2 : -1));
  const auto add_bos = metadata.flag(kPrefix + "add_bos_token");
  spec.add_bos = add_bos.value_or((pieces || spec.ignore_merges) && spec.bos >= 0);
  if (spec.add_bos && spec.bos < 0) metadata.fail_absent(kPrefix + "bos_token_id");
  if (metadata.flag(kPrefix + "add_eos_token").value_or(false)) {
    metadata.fail(kPrefix + "add_eos_token", "true", "false: a prompt is not ended by a token");
  }
}

}  // namespace

text::TokenizerSpec read_gguf_tokenizer(const GgufFile& file) {
  const GgufMetadata metadata(file);
  refuse_other_tokenizer_keys(file, kPrefix, kTokenizerKeys);
  text::TokenizerSpec spec;
  spec.model = metadata.required_text(kPrefix + "model");
  const auto tokens = metadata.texts(kPrefix + "tokens");
  if (!tokens) metadata.fail_absent(kPrefix + "tokens");
  if (tokens->empty() || tokens->size() > limits::kVocab) {
    metadata.fail(kPrefix + "tokens", fmt::format("of length {}", tokens->size()),
                  fmt::format("1 to {} tokens", limits::kVocab));
  }
  spec.tokens.assign(tokens->begin(), tokens->end());
  spec.kinds = read_kinds(metadata, spec.tokens.size());
  if (spec.model == "llama") {
    read_pieces(metadata, spec);
  } else {
    read_byte_level(metadata, spec);
  }
  add_phi3_rules(metadata, spec);
  spec.chat_template = metadata.text("tokenizer.chat_template").value_or("");
  read_ends(metadata, spec);
  return spec;
}

}  // namespace outrider::model
