#pragma once

#include <functional>
#include <vector>

#include "data/generate/conversation.h"
#include "data/generate/recipe.h"
#include "runtime/inference/dialogue.h"
#include "runtime/records/prompt_file.h"

namespace outrider::data {

/// The tokens of a given answer, and the end of turn where the chat format has one; empty where no
/// answer was given to that turn (counted from 0).
std::vector<Token> given_answer(const inference::Target& target, const text::PromptRecord& prompt,
                                std::size_t turn);

/// One sample of one prompt, turn by turn, as in `runtime decode`: the same tokens before each
/// answer, the same seeds, the same context.
class PromptConversation : public Conversation {
 public:
  /// @param beyond  turns left out at the end because the context was full
  using OnDone = std::function<void(std::vector<Trace> traces, int beyond)>;

  /// All arguments must outlive it. @param on_done  called with the traces after the last turn
  PromptConversation(const inference::Target& target, const Recipe& recipe,
                     const text::PromptRecord& prompt, int sample, OnDone on_done);

  int context() const override { return context_; }
  /// Ends early where the context is full, or where no answer was given.
  std::optional<Turn> next() override;
  void answered(Trace trace) override;

 private:
  const inference::Target& target_;
  const Recipe& recipe_;
  const text::PromptRecord& prompt_;
  int sample_;
  OnDone on_done_;
  int context_;
  inference::Dialogue dialogue_;
  std::vector<Trace> traces_;
};

}  // namespace outrider::data
