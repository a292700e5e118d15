#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/notices.h"
#include "runtime/chat/chat.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::inference {

struct TargetOptions {
  std::string model;  // GGUF file or Hugging Face folder
  engine::EngineOptions engine = {};
  text::ChatOptions chat = {};
  std::optional<std::string> system = {};  // nothing: the chat format's default; empty: none
  int context = 0;                         // most tokens of a sequence; 0: the model's
  int recorded_context = 0;  // of traces that are read, for the model's divisors; 0: none
  Notices notices = {};      // told of what a user may not expect
};

/// The model that decodes, with everything built from its file once.
class Target {
 public:
  /// @throws InputError for an invalid file or options
  explicit Target(TargetOptions options);

  const TargetOptions& options() const { return options_; }
  const model::Model& model() const { return model_; }
  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  const text::ChatFormat& chat() const { return chat_; }
  /// The tokens that end an answer: `text::end_tokens` of the model, and the chat format's end of turn.
  const std::vector<Token>& end_tokens() const { return end_tokens_; }
  engine::Engine& engine() { return *engine_; }
  const engine::Engine& engine() const { return *engine_; }
  /// The most tokens of a sequence.
  int context() const { return context_; }
  /// An answer given as text, as tokens with the end of its turn.
  std::vector<Token> answer_tokens(const std::string& text) const;

  /// Replaces the engine by a new one that shares nothing with it.
  void renew_engine();

 private:
  TargetOptions options_;
  model::Model model_;
  text::Tokenizer tokenizer_;
  text::ChatFormat chat_;
  std::vector<Token> end_tokens_;
  int context_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace outrider::inference
