#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/chat/chat.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::inference {

struct TargetOptions {
  std::string model;  // GGUF file or Hugging Face folder
  engine::EngineOptions engine = {};
  std::string chat = "auto";               // name of a chat format; "auto": the model's own
  std::optional<std::string> system = {};  // nothing: the chat format's own; empty: none
  int context = 0;                         // tokens of a sequence at most; 0: the model's
};

/// The model that decodes, with everything that is built from its file once.
class Target {
 public:
  /// @throws InputError for what is wrong with the file or the options
  explicit Target(TargetOptions options);

  const TargetOptions& options() const { return options_; }
  const model::Model& model() const { return model_; }
  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  const text::ChatFormat& chat() const { return chat_; }
  /// The model's, and the chat format's end of turn.
  const std::vector<Token>& end_tokens() const { return end_tokens_; }
  engine::Engine& engine() { return *engine_; }
  const engine::Engine& engine() const { return *engine_; }
  /// The most tokens a sequence may have.
  int context() const { return context_; }
  /// An answer given as text, as the model would have generated it: with the end of its turn.
  std::vector<Token> answer_tokens(const std::string& text) const;

  /// Replaces the engine by one with nothing in it that this one had.
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
