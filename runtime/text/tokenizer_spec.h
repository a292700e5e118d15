#pragma once

#include <cstdint>
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
  kByte,
};

/// A tokenizer as a model file describes it, before anything is built from it. Every file format
/// fills this one struct; `Tokenizer` refuses by name what it does not know.
struct TokenizerSpec {
  std::string model;           // "gpt2": byte-level BPE
  std::string pre;             // the pre-tokenizer's name, e.g. "smollm"
  bool nfc = false;            // texts are put into Unicode's normalisation form C first
  bool ignore_merges = false;  // a word that is a token becomes it, whatever its merges make
  std::vector<std::string>
      tokens;  // [vocab] as stored, i.e. for byte-level BPE in GPT-2's byte alphabet
  std::vector<TokenKind> kinds;                             // [vocab]
  std::vector<std::pair<std::string, std::string>> merges;  // in order of rank
  std::string chat_template;      // Jinja source; empty if the model has none
  std::vector<Token> end_tokens;  // any of these ends a text
  Token bos = -1;                 // -1: none
  Token eos = -1;                 // what chat templates call so; -1: none
  bool add_bos = false;
};

}  // namespace outrider::text
