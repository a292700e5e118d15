#include "calibrate/answers/work_to_make.h"

#include <algorithm>

#include "data/generate/batch_size.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

constexpr int kContext = 128;   // tokens before the passes that are timed
constexpr int kMostCaches = 8;  // of them: more would take long to fill
constexpr int kMostOfMadeUp = 384;

/// Seconds of a pass, once its contexts are filled.
double seconds_of(cost::PassTimer& timer, const cost::PassPoint& point) {
  timer.seconds(point);
  return timer.seconds(point);
}

/// By the time of a pass of a batch, and of one over the rows of a prompt.
double making_seconds(engine::Engine& engine, int batch, int chunk, std::int64_t prompt_tokens,
                      std::int64_t made) {
  cost::PassTimer timer(engine);
  const int context = std::min(kContext, engine.config().context - cost::PassTimer::kMostRows);
  if (context < 1) return 0;
  chunk = std::min(chunk, cost::PassTimer::kMostRows);
  const cost::Shape chain = cost::Shape::kChain;
  const double of_batch = seconds_of(timer, {chain, batch, context, std::min(batch, kMostCaches)});
  const double of_chunk = seconds_of(timer, {chain, chunk, context});
  return of_batch * static_cast<double>(made) / batch +
         of_chunk * static_cast<double>(prompt_tokens) / chunk;
}

}  // namespace

WorkAhead work_to_make(inference::Target& target, const data::Recipe& recipe,
                       const std::vector<text::PromptRecord>& prompts,
                       std::span<const int> conversations, const std::vector<Answer>& made) {
  WorkAhead ahead = work_on(made);
  ahead.to_make = std::ssize(conversations);
  std::int64_t prompt_tokens = 0, new_tokens = 0;
  for (const int c : conversations) {
    const text::PromptRecord& prompt = prompts[static_cast<std::size_t>(c / recipe.samples)];
    const int turns = recipe.only_first_turns ? 1 : static_cast<int>(prompt.turns.size());
    const int needed = inference::context_needed(target, prompt, recipe.max_new);
    new_tokens += std::int64_t{turns} * recipe.max_new;
    prompt_tokens += std::max(0, needed - turns * recipe.max_new);
    // The text of each of a conversation's answers begins with all before it.
    ahead.answers += turns;
    ahead.tokens += std::int64_t{needed} * (turns + 1) / 2;
  }
  if (conversations.empty()) return ahead;
  const std::int64_t each =
      std::clamp<std::int64_t>(ahead.tokens / ahead.answers, 2, kMostOfMadeUp);
  ahead.sample = made_up_answer(target.model().config.vocab, static_cast<int>(each));
  const int batch = static_cast<int>(std::min<std::int64_t>(
      ahead.to_make, data::choose_batch(target, recipe, prompts, 0).conversations));
  ahead.making_seconds =
      making_seconds(target.engine(), batch, recipe.prefill_chunk, prompt_tokens, new_tokens);
  return ahead;
}

}  // namespace outrider::calibrate
