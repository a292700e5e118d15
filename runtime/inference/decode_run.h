#pragma once

#include <string>
#include <vector>

#include "runtime/decode/attribution.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/inference/decode_target.h"

namespace outrider {

/// Which text of a run: of which prompt, which turn of it and which sample, both from 1.
struct TextName {
  std::string prompt;
  std::string task;
  int turn = 1;
  int sample = 1;
};

/// One decoded text and what it came from.
struct DecodedText {
  TextName name;
  std::vector<Token> prompt_tokens;  // everything before the text
  int context = 0;                   // the most tokens its conversation could reach
  std::string text;
  decode::DecodeResult result;
  std::vector<decode::CopiedSpan> copied;  // of at least --min-span tokens
};

/// Decodes the turns of one conversation, and other answers to them: one KV cache, which keeps what
/// a text shares with the one before, and one drafter.
class DecodeRun {
 public:
  /// @param context  the most tokens the conversation may reach
  /// @param shown    whether texts go to standard output while they are made
  DecodeRun(DecodeTarget& target, const DecodeOptions& options, int context, bool shown);

  int context() const { return context_; }

  /// A conversation whose context is full already gives an empty text (`context`).
  /// @param plain  without the drafter, as `--method ar`
  DecodedText decode(TextName name, std::vector<Token> prompt_tokens, bool plain = false);

 private:
  DecodeTarget& target_;
  const DecodeOptions& options_;
  int context_;
  bool shown_;
  decode::Decoder decoder_;
  std::unique_ptr<draft::Drafter> drafter_;
};

}  // namespace outrider
