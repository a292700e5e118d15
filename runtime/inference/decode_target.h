#pragma once

#include <memory>

#include "runtime/chat/chat.h"
#include "runtime/cli/decode_options.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider {

/// The model that decodes, with everything that is built from its file once.
class DecodeTarget {
 public:
  /// @throws InputError for what is wrong with the file or the options
  explicit DecodeTarget(const DecodeOptions& options);

  const model::Model& model() const { return model_; }
  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  const text::ChatFormat& chat() const { return chat_; }
  const std::vector<Token>& end_tokens() const { return end_tokens_; }
  engine::Engine& engine() { return *engine_; }
  const engine::Engine& engine() const { return *engine_; }
  /// The most tokens a sequence may have: `--ctx`, or the model's own.
  int context() const { return context_; }
  /// An answer given as text, as the model would have said it: with the end of its turn.
  std::vector<Token> answer_tokens(const std::string& text) const;

  /// An engine with nothing in it that this one had; this one is gone.
  void renew_engine();

 private:
  EngineFlags engine_flags_;
  bool quiet_;
  model::Model model_;
  text::Tokenizer tokenizer_;
  text::ChatFormat chat_;
  std::vector<Token> end_tokens_;  // the model's, and the chat format's end of turn
  int context_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace outrider
