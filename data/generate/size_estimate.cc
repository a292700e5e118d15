#include "data/generate/size_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/generate/byte_size.h"
#include "runtime/base/error.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/report/sheet.h"

namespace outrider::data {
namespace {

// Compressed sizes in a shard, in bytes; measured, rounded up, and checked by a test.
constexpr double kPerShard = 15'000;  // of an empty shard
constexpr double kPerTrace = 150;     // names, seeds, offsets
constexpr double kPerToken = 2.5;     // a token of a prompt or an answer, with its flags
constexpr double kPerOutput = 9;      // entropy, mass outside, flags
constexpr double kPerTop = 5.0;       // an id and its log-probability
constexpr double kPerState = 2;       // a bfloat16, which does not compress

/// The tokens of each turn of a sample of a prompt, and the most of its answer.
void add_sample(SizeEstimate& estimate, const inference::Target& target, const Recipe& recipe,
                const text::PromptRecord& prompt, int sample, const GivenAnswers& given_answers) {
  const std::int64_t context = inference::context_needed(target, prompt, recipe.max_new);
  const inference::Dialogue dialogue(target, prompt);
  std::int64_t before = static_cast<std::int64_t>(dialogue.ask(text::asked_in(prompt, 0)).size());
  for (std::size_t turn = 0; turn < prompt.turns.size(); ++turn) {
    if (turn > 0) before += dialogue.most_added(text::asked_in(prompt, turn), 0);
    std::int64_t answer = std::min<std::int64_t>(recipe.max_new, context - before);
    if (given_answers) {
      const std::int64_t given = std::ssize(given_answers(prompt, sample, turn));
      if (given == 0) return;
      // Texts may be too long; the answers of a store are as long as they were.
      estimate.cut_answers += recipe.given_answers && given > answer ? 1 : 0;
      answer = recipe.given_answers ? std::min(answer, given) : given;
    }
    if (answer <= 0) return;
    ++estimate.traces;
    estimate.prompt_tokens += before;
    estimate.output_tokens += answer;
    before += answer;
  }
}

}  // namespace

SizeEstimate estimate_size(const inference::Target& target, const Recipe& recipe,
                           const std::vector<text::PromptRecord>& prompts, const ShardPlan& plan,
                           const GivenAnswers& given) {
  SizeEstimate estimate;
  // Samples whose answers nobody knows yet may become equally long.
  const int counted = given ? recipe.samples : 1;
  for (const text::PromptRecord& prompt : prompts)
    for (int sample = 1; sample <= counted; ++sample)
      add_sample(estimate, target, recipe, prompt, sample, given);
  const std::int64_t samples = recipe.samples / counted;
  estimate.traces *= samples;
  estimate.prompt_tokens *= samples;
  estimate.output_tokens *= samples;
  estimate.shards = plan.shards();
  set_bytes(estimate, recipe, target.model().config);
  return estimate;
}

void set_bytes(SizeEstimate& estimate, const Recipe& recipe, const model::ModelConfig& config) {
  const double tokens = static_cast<double>(estimate.prompt_tokens + estimate.output_tokens);
  const double states = static_cast<double>(recipe.layers.size()) * config.width;
  const double bytes =
      kPerShard * estimate.shards + kPerTrace * static_cast<double>(estimate.traces) +
      (kPerToken + kPerState * states) * tokens +
      (kPerOutput + kPerTop * recipe.top) * static_cast<double>(estimate.output_tokens);
  estimate.bytes = static_cast<std::int64_t>(bytes);
}

std::string SizeEstimate::line(const Recipe& recipe) const {
  const std::string each =
      output_tokens == 0 ? "" : fmt::format(", {} bytes a new token", bytes / output_tokens);
  const std::string states = recipe.layers.empty()
                                 ? ""
                                 : fmt::format(", the states of {} layer{}", recipe.layers.size(),
                                               recipe.layers.size() == 1 ? "" : "s");
  return fmt::format(
      "at most {} traces of {} prompt tokens and {} new ones; with top {}{}: {} in all{}",
      report::grouped(traces), report::grouped(prompt_tokens), report::grouped(output_tokens),
      recipe.top, states, bytes_text(bytes), each);
}

std::string fit(SizeEstimate& estimate, Recipe& recipe, const model::ModelConfig& config,
                std::int64_t budget) {
  const std::size_t layers = recipe.layers.size();
  const int top = recipe.top;
  while (estimate.bytes > budget && !recipe.layers.empty()) {
    recipe.layers.pop_back();
    set_bytes(estimate, recipe, config);
  }
  while (estimate.bytes > budget && recipe.top > 0) {
    recipe.top /= 2;
    set_bytes(estimate, recipe, config);
  }
  check_budget(estimate, recipe, budget);
  std::vector<std::string> lowered;
  if (recipe.layers.size() != layers)
    lowered.push_back(
        fmt::format("states of {} instead of {} layers", recipe.layers.size(), layers));
  if (recipe.top != top) lowered.push_back(fmt::format("top {} instead of {}", recipe.top, top));
  return fmt::format("{}", fmt::join(lowered, ", "));
}

void check_budget(const SizeEstimate& estimate, const Recipe& recipe, std::int64_t budget) {
  if (estimate.bytes <= budget) return;
  const bool can_lower = recipe.top > 0 || !recipe.layers.empty();
  throw InputError(fmt::format(
      "--budget: the traces may take {}, more than {}; {}, or lower --limit, --samples or "
      "--max-new",
      bytes_text(estimate.bytes), bytes_text(budget),
      can_lower ? "give --fit to store less of each, or a larger budget" : "give a larger budget"));
}

}  // namespace outrider::data
