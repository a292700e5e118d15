#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::text {

enum class TokenKind : std::uint8_t {
  kNormal,
  kUnknown,
  kControl,      // special: parsed in text, never shown
  kUserDefined,  // added: parsed in text, shown
  kUnused,
  kByte,  // one byte, stored as "<0x0A>"
};

/// A space in character vocabularies: U+2581.
constexpr const char* kSpaceMark = "\xE2\x96\x81";

/// One step of normalisation, before a text is split into words.
struct NormalStep {
  enum class Kind : std::uint8_t {
    kFormC,    // Unicode's normalisation form C
    kPrepend,  // `to` in front of a text that is not empty
    kReplace,  // every `from`, which is not empty, by `to`
  };
  Kind kind;
  std::string from;
  std::string to;
};

/// How spaces become part of words, after normalising: each becomes kSpaceMark.
struct Metaspace {
  /// When a text that does not begin with a mark gets one.
  enum class Prefix : std::uint8_t {
    kNever,
    kFirst,
    kAlways
  };  // kFirst: at the start of the whole text only
  Prefix prefix;
  bool split;  // every mark begins a word
};

/// How an added token is matched in text: Hugging Face's flags of the same names.
struct AddedTokenRules {
  bool lstrip = false;  // includes the white space before it
  bool rstrip = false;  // includes the white space after it
  bool single_word = false;
  bool normalized = false;  // matched in normalised text, in its own normal form
};

/// A tokenizer as described by a model file. Every file format fills this struct; `Tokenizer` refuses
/// unknown names.
struct TokenizerSpec {
  std::string model;  // "gpt2": byte-level BPE; "llama": pieces with scores; "bpe": of characters
  std::string pre;    // of gpt2: the pre-tokenizer's name, e.g. "smollm"
  std::vector<NormalStep> normaliser;
  std::optional<Metaspace> metaspace;  // of bpe and llama
  bool ignore_merges = false;  // of gpt2: a word that is a token becomes that token without merging
  std::vector<std::string>
      tokens;  // [vocab] as stored, i.e. for byte-level BPE in GPT-2's byte alphabet
  std::vector<TokenKind> kinds;                             // [vocab]
  std::vector<std::pair<std::string, std::string>> merges;  // in order of rank
  std::vector<float> scores;                                // of llama: [vocab]
  std::map<Token, AddedTokenRules> added_rules;  // of tokens with other than the default rules
  bool byte_fallback = false;  // of bpe: a character without a token becomes its bytes' tokens
  Token unknown = -1;          // of bpe: the token of other characters; -1: they are dropped
  bool fuse_unknown = false;   // adjacent unknown tokens become one
  std::size_t dropped_spaces =
      0;                          // at most so many, from the front of a decoded text's first piece
  std::string chat_template;      // Jinja source; empty if the model has none
  std::vector<Token> end_tokens;  // that the files name: see `text::end_tokens`
  Token bos = -1;                 // -1: none
  Token eos = -1;                 // `eos` of chat templates; -1: none
  bool add_bos = false;
};

}  // namespace outrider::text
