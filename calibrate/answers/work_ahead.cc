#include "calibrate/answers/work_ahead.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kMostOfSample = 384;  // tokens: a second of a large model
constexpr int kTokensOfSample = 16;         // of a text that is decoded

/// A text of many tokens without its first ones.
Answer shortened(Answer answer) {
  if (answer.tokens.size() <= kMostOfSample) return answer;
  const auto prompt = static_cast<std::size_t>(answer.prompt);
  const std::size_t dropped = std::min(answer.tokens.size() - kMostOfSample, prompt - 1);
  answer.tokens.erase(answer.tokens.begin(),
                      answer.tokens.begin() + static_cast<std::ptrdiff_t>(dropped));
  answer.prompt -= static_cast<int>(dropped);
  if (answer.tokens.size() > kMostOfSample) {
    answer.tokens.resize(std::max(kMostOfSample, static_cast<std::size_t>(answer.prompt) + 1));
    const auto made = static_cast<std::size_t>(answer.made());
    if (answer.in_loop.size() > made) answer.in_loop.resize(made);
  }
  return answer;
}

}  // namespace

double WorkAhead::seconds_of(const std::function<void(const Answer&)>& work) const {
  if (tokens == 0) return 0;
  const Stopwatch watch;
  work(sample);
  return watch.seconds() * static_cast<double>(tokens) / static_cast<double>(sample.tokens.size());
}

WorkAhead WorkAhead::share(double part) const {
  WorkAhead ahead = *this;
  ahead.answers = std::llround(part * static_cast<double>(answers));
  ahead.tokens = std::llround(part * static_cast<double>(tokens));
  return ahead;
}

WorkAhead work_on(const std::vector<Answer>& answers) {
  WorkAhead ahead;
  ahead.answers = std::ssize(answers);
  std::vector<const Answer*> by_length;
  for (const Answer& answer : answers) {
    ahead.tokens += std::ssize(answer.tokens);
    by_length.push_back(&answer);
  }
  const auto middle = by_length.begin() + std::ssize(by_length) / 2;
  std::nth_element(
      by_length.begin(), middle, by_length.end(),
      [](const Answer* a, const Answer* b) { return a->tokens.size() < b->tokens.size(); });
  if (middle != by_length.end()) ahead.sample = shortened(**middle);
  return ahead;
}

void plan_answers(Watch& watch, const std::vector<Answer>& left, const std::string& what,
                  const std::function<void(const Answer&)>& work) {
  if (!watch.is_heard() || left.empty()) return;
  const WorkAhead ahead = work_on(left);
  watch.plan({{fmt::format("{} {}, {} tokens", ahead.answers, what, ahead.tokens),
               ahead.seconds_of(work)}});
}

void plan_prompts(Watch& watch, const std::vector<text::PromptRecord>& left, int max_new,
                  const std::string& what, double times,
                  const std::function<void(const text::PromptRecord&, int max_new)>& decode) {
  if (!watch.is_heard() || left.empty()) return;
  const text::PromptRecord& middle = left[left.size() / 2];
  const double seconds = seconds_of_decoding(max_new, [&](int tokens) { decode(middle, tokens); });
  watch.plan({{fmt::format("{} {}", left.size(), what),
               seconds * times * static_cast<double>(left.size())}});
}

double seconds_of_decoding(int max_new, const std::function<void(int max_new)>& decode) {
  const auto seconds_up_to = [&](int tokens) {
    const Stopwatch watch;
    decode(tokens);
    return watch.seconds();
  };
  const int some = std::min(max_new, 1 + kTokensOfSample);
  const double first = seconds_up_to(1), all = seconds_up_to(some);
  if (some < 2) return first;
  return first + std::max(0.0, all - first) * (max_new - 1) / (some - 1);
}

Answer made_up_answer(int vocab, int tokens) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(0, 1);
  Answer answer;
  answer.id = "made-up";
  for (int i = 0; i < tokens; ++i)
    answer.tokens.push_back(std::min(static_cast<Token>(std::pow(vocab, exponent(random))), vocab) -
                            1);
  answer.prompt = std::max(1, tokens / 2);
  return answer;
}

}  // namespace outrider::calibrate
