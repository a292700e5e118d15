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
  kByte,  // stands for one byte, as "<0x0A>"
};

/// What character vocabularies store for a space: U+2581.
constexpr const char* kSpaceMark = "\xE2\x96\x81";

/// A step of what is done to a text before it is cut into words.
struct NormalStep {
  enum class Kind : std::uint8_t {
    kFormC,    // Unicode's normalisation form C
    kPrepend,  // `to` before a text that is not empty
    kReplace,  // `to` for every `from`, which is not empty
  };
  Kind kind;
  std::string from;
  std::string to;
};

/// How spaces become part of words, after normalising: each becomes kSpaceMark.
struct Metaspace {
  /// Where a mark is put before a text that does not begin with one.
  enum class Prefix : std::uint8_t { kNever, kFirst, kAlways };  // kFirst: at the very start only
  Prefix prefix;
  bool split;  // every mark begins a word
};

/// How an added token is found in a text, as Hugging Face's flags of the same names say.
struct AddedTokenRules {
  bool lstrip = false;  // takes the white space before it
  bool rstrip = false;  // takes the white space behind it
  bool single_word = false;
  bool normalized = false;  // is looked for in normalised text, in its own normal form
};

/// A tokenizer as a model file describes it, before anything is built from it. Every file format
/// fills this one struct; `Tokenizer` refuses by name what it does not know.
struct TokenizerSpec {
  std::string model;  // "gpt2": byte-level BPE; "llama": pieces with scores; "bpe": of characters
  std::string pre;    // of gpt2: the pre-tokenizer's name, e.g. "smollm"
  std::vector<NormalStep> normaliser;
  std::optional<Metaspace> metaspace;  // of bpe
  bool ignore_merges =
      false;  // of gpt2: a word that is a token becomes it, whatever its merges make
  std::vector<std::string>
      tokens;  // [vocab] as stored, i.e. for byte-level BPE in GPT-2's byte alphabet
  std::vector<TokenKind> kinds;                             // [vocab]
  std::vector<std::pair<std::string, std::string>> merges;  // in order of rank
  std::vector<float> scores;                                // of llama: [vocab]
  std::map<Token, AddedTokenRules> added_rules;  // of tokens that are not found just as written
  bool byte_fallback = false;      // of bpe: a character that is no token becomes its bytes' tokens
  Token unknown = -1;              // of bpe: what other characters become; -1: nothing
  bool fuse_unknown = false;       // neighbouring ones become one
  std::size_t dropped_spaces = 0;  // at most so many at the front of a decoded text's first piece
  std::string chat_template;       // Jinja source; empty if the model has none
  std::vector<Token> end_tokens;   // any of these ends a text
  Token bos = -1;                  // -1: none
  Token eos = -1;                  // what chat templates call so; -1: none
  bool add_bos = false;
};

}  // namespace outrider::text
