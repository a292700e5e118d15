#include "data/generate/prompt_conversation.h"

#include <algorithm>

#include "runtime/inference/context_needed.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/sampling/sampler.h"

namespace outrider::data {

GivenAnswers answers_in_records(const inference::Target& target) {
  return [&target](const text::PromptRecord& prompt, int /*sample*/, std::size_t turn) {
    const bool is_last = turn + 1 == prompt.turns.size();
    const std::string& text = turn < prompt.answers.size() ? prompt.answers[turn]
                              : is_last                    ? prompt.reference
                                                           : std::string();
    if (text.empty()) return std::vector<Token>();
    return inference::for_prompt(prompt, [&] { return target.answer_tokens(text); });
  };
}

PromptConversation::PromptConversation(const inference::Target& target, const Recipe& recipe,
                                       const text::PromptRecord& prompt, int sample,
                                       const GivenAnswers& given, OnDone on_done)
    : target_(target),
      recipe_(recipe),
      prompt_(prompt),
      sample_(sample),
      given_(given),
      on_done_(std::move(on_done)),
      context_(inference::context_needed(target, prompt, recipe.max_new)),
      dialogue_(target, prompt) {}

std::optional<Turn> PromptConversation::next() {
  const std::size_t number = traces_.size();
  Turn turn;
  Trace& trace = turn.trace;
  bool goes_on = number < prompt_.turns.size();
  if (goes_on && given_) {
    turn.given_answer = given_(prompt_, sample_, number);
    goes_on = !turn.given_answer.empty();
  }
  int beyond = 0;
  if (goes_on) {
    trace.prompt_tokens = inference::for_prompt(
        prompt_, [&] { return dialogue_.ask(text::asked_in(prompt_, number)); });
    goes_on = trace.prompt_tokens.size() < static_cast<std::size_t>(context_);
    if (!goes_on) beyond = static_cast<int>(prompt_.turns.size() - number);
  }
  if (!goes_on) {
    on_done_(std::move(traces_), beyond);
    return std::nullopt;
  }
  trace.id = prompt_.id;
  trace.task = prompt_.task;
  trace.turn = static_cast<int>(number) + 1;
  trace.sample = sample_;
  trace.temperature = recipe_.temperature_of(sample_);
  turn.sampler = recipe_.sampler;
  turn.sampler.temperature = trace.temperature;
  trace.sequence_seed =
      sampling::sequence_seed(turn.sampler.seed, trace.id, trace.turn, trace.sample);
  return turn;
}

void PromptConversation::answered(Trace trace) {
  // An end token ends the target's own answer, also one that is as long as it may become.
  const std::vector<Token>& ends = target_.end_tokens();
  const bool is_own = !recipe_.given_answers;
  if (is_own && std::find(ends.begin(), ends.end(), trace.output_tokens.back()) != ends.end())
    trace.finish = decode::FinishReason::kStop;
  dialogue_.answered(text::asked_in(prompt_, traces_.size()), trace.prompt_tokens,
                     trace.output_tokens);
  traces_.push_back(std::move(trace));
}

}  // namespace outrider::data
