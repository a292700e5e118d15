#pragma once

#include <functional>
#include <vector>

#include "data/generate/conversation.h"
#include "data/generate/recipe.h"
#include "runtime/inference/dialogue.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// Where answers are given: the tokens of that to a turn, counted from 0, of a sample, from 1; empty
/// where there is none. An empty function: the target generates them.
using GivenAnswers = std::function<std::vector<Token>(const text::PromptRecord& prompt, int sample,
                                                      std::size_t turn)>;

/// The answers in the records, with the end of turn where the chat format has one. @param target  must outlive it
GivenAnswers answers_in_records(const inference::Target& target);

/// One sample of one prompt, turn by turn, as in `runtime decode`: the same tokens before each
/// answer, the same seeds, the same context.
class PromptConversation : public Conversation {
 public:
  /// @param beyond  turns left out at the end because the context was full
  using OnDone = std::function<void(std::vector<Trace> traces, int beyond)>;

  /// All arguments must outlive it. @param on_done  called with the traces after the last turn
  PromptConversation(const inference::Target& target, const Recipe& recipe,
                     const text::PromptRecord& prompt, int sample, const GivenAnswers& given,
                     OnDone on_done);

  int context() const override { return context_; }
  /// Ends early where the context is full, or where no answer was given.
  std::optional<Turn> next() override;
  void answered(Trace trace) override;

 private:
  const inference::Target& target_;
  const Recipe& recipe_;
  const text::PromptRecord& prompt_;
  int sample_;
  const GivenAnswers& given_;
  OnDone on_done_;
  int context_;
  inference::Dialogue dialogue_;
  std::vector<Trace> traces_;
};

}  // namespace outrider::data
