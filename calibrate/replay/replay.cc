#include "calibrate/replay/replay.h"

#include "runtime/decode/draft_limits.h"
#include "runtime/decode/verify.h"

namespace outrider::calibrate {

void Replay::add_pass(int drafted_now, int accepted_now, int tokens_now) {
  ++passes;
  ++passes_by_drafted[drafted_now];
  drafted += drafted_now;
  accepted += accepted_now;
  tokens += tokens_now;
  by_pass.push_back({drafted_now, accepted_now});
}

void Replay::add(const Replay& other) {
  passes += other.passes;
  tokens += other.tokens;
  drafted += other.drafted;
  accepted += other.accepted;
  for (const auto& [count, of_these] : other.passes_by_drafted)
    passes_by_drafted[count] += of_these;
  rows.add(other.rows);
}

double predicted_seconds(const Replay& replay, const PassSeconds& pass_seconds) {
  double seconds = 0;
  for (const auto& [drafted, passes] : replay.passes_by_drafted)
    seconds += static_cast<double>(passes) * pass_seconds(drafted + 1);
  return seconds;
}

double predicted_rate(const Replay& replay, const PassSeconds& pass_seconds) {
  const double seconds = predicted_seconds(replay, pass_seconds);
  return seconds > 0 ? static_cast<double>(replay.tokens) / seconds : 0;
}

ReplayLimits limits_of(const Answer& answer) {
  return {answer.made(), static_cast<int>(answer.text.size())};
}

Replay replay(const Answer& answer, draft::Drafter* drafter, const ReplayLimits& limits) {
  Replay result;
  const std::span<const Token> text = answer.text;
  if (drafter != nullptr) drafter->start(text.first(static_cast<std::size_t>(answer.prompt)), 0);
  draft::TokenTree tree(text.front());
  draft::TreeWalk walk;
  // The prefill gives the first token. No pass is counted that begins in a loop, and of one that
  // reaches a loop only what it yields before that.
  for (std::size_t next = answer.after_loop(static_cast<std::size_t>(answer.prompt) + 1);
       next < text.size(); next = answer.after_loop(next)) {
    const std::size_t end = answer.next_loop(next);
    const int tokens = static_cast<int>(next);
    const auto room =
        decode::draft_limits(limits.max_new - (tokens - answer.prompt), tokens, limits.context);
    decode::make_draft(drafter, {text.first(next)}, room, tree);
    const decode::Verdict verdict = decode::verify(
        tree, walk, [&](int /*node*/) { return text[next]; },
        [&](Token, const draft::Origin&) { return ++next < end; });
    result.add_pass(tree.num_drafted(), verdict.accepted(), static_cast<int>(next) - tokens);
    if (!tree.drafts().empty()) result.rows.add(tree, verdict.path);
    if (drafter != nullptr) drafter->verified(verdict.kept.subspan(1), verdict.next);
  }
  return result;
}

Replay replay_all(const std::vector<Answer>& answers, draft::Drafter* drafter) {
  Replay all;
  for (const Answer& answer : answers) all.add(replay(answer, drafter, limits_of(answer)));
  return all;
}

}  // namespace outrider::calibrate
