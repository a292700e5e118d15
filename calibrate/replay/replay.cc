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

Replay replay(const Answer& answer, draft::Drafter* drafter) {
  Replay result;
  const std::span<const Token> tokens = answer.tokens;
  const int max_new = answer.max_new.value_or(answer.made());
  const int context = answer.context.value_or(static_cast<int>(tokens.size()));
  if (drafter != nullptr) drafter->start(tokens.first(static_cast<std::size_t>(answer.prompt)), 0);
  draft::TokenTree tree(tokens.front());
  draft::TreeWalk walk;
  // The prefill gives the first token. No pass is counted that begins in a loop, and of one that
  // reaches a loop only what it yields before that.
  for (std::size_t next = answer.after_loop(static_cast<std::size_t>(answer.prompt) + 1);
       next < tokens.size(); next = answer.after_loop(next)) {
    const std::size_t end = answer.next_loop(next);
    const int before = static_cast<int>(next);
    const auto room = decode::draft_limits(max_new - (before - answer.prompt), before, context);
    decode::make_draft(drafter, {tokens.first(next)}, room, tree);
    const decode::Verdict verdict = decode::verify(
        tree, walk, [&](int /*node*/) { return tokens[next]; },
        [&](Token, const draft::Origin&) { return ++next < end; });
    result.add_pass(tree.num_drafted(), verdict.accepted(), static_cast<int>(next) - before);
    if (!tree.drafts().empty()) result.rows.add(tree, verdict.path);
    if (drafter != nullptr) drafter->verified(verdict.kept.subspan(1), verdict.next);
  }
  return result;
}

Replay replay_all(const std::vector<Answer>& answers, draft::Drafter* drafter) {
  Replay all;
  for (const Answer& answer : answers) all.add(replay(answer, drafter));
  return all;
}

}  // namespace outrider::calibrate
