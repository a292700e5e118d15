#include "calibrate/replay/replay.h"

#include <span>
#include <stdexcept>

#include "calibrate/replay/text_rounds.h"
#include "runtime/decode/draft_limits.h"

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
  cut_rounds += other.cut_rounds;
  for (const auto& [count, of_these] : other.passes_by_drafted)
    passes_by_drafted[count] += of_these;
  rows.add(other.rows);
  acceptance.add(other.acceptance);
  by_pass.insert(by_pass.end(), other.by_pass.begin(), other.by_pass.end());
}

double predicted_seconds(const Replay& replay, const cost::PassSeconds& pass_seconds) {
  double seconds = 0;
  for (const auto& [drafted, passes] : replay.passes_by_drafted)
    seconds += static_cast<double>(passes) * pass_seconds(drafted + 1);
  return seconds;
}

double predicted_rate(const Replay& replay, const cost::PassSeconds& pass_seconds) {
  const double seconds = predicted_seconds(replay, pass_seconds);
  return seconds > 0 ? static_cast<double>(replay.tokens) / seconds : 0;
}

namespace {

/// A replay in progress: the drafter and its context.
class Walk {
 public:
  Walk(const Answer& answer, draft::Drafter* drafter, Observations* observations)
      : answer_(answer),
        drafter_(drafter),
        observations_(observations),
        counted_(static_cast<std::size_t>(answer.prompt)),
        counts_(before(answer.sampler.uses_counts() ? counted_ : 0)),
        tree_(answer.tokens.front()) {
    if (drafter == nullptr) return;
    drafter->start(before(static_cast<std::size_t>(answer.prompt)), 0);
    const draft::DrafterTraits traits = drafter->traits();
    most_nodes_ = traits.most_nodes;
    if (observations != nullptr)
      observations->begin(answer, traits.wants, traits.wants_rejected);
    else if (!traits.wants.empty())
      throw std::logic_error("replay: the drafter observes, and there is nothing to observe");
  }

  /// The pass after the first `position` tokens, which ends at `end` at the latest.
  /// @return the tokens that it adds
  int step(std::size_t position, std::size_t end, Replay& result) {
    observe(position);
    count(position);
    const int tokens = static_cast<int>(position);
    const auto limits = decode::draft_limits(answer_.most_new() - (tokens - answer_.prompt), tokens,
                                             answer_.most_tokens(), most_nodes_);
    decode::make_draft(drafter_,
                       {before(position), {answer_.sampler, answer_.sequence_seed, counts_}},
                       limits, tree_);
    const auto [verified, added] =
        rounds_.verify(tree_, std::span(answer_.tokens).subspan(position, end - position));
    result.add_pass(tree_.num_drafted(), verified.accepted(), added);
    result.cut_rounds += tree_.is_cut();
    if (!tree_.drafts().empty()) result.rows.add(tree_, verified.path);
    result.acceptance.add(tree_, verified.path, verified.kept);
    if (observations_ != nullptr && drafter_ != nullptr) {
      decode::rejected_nodes(tree_, verified.kept, rejected_);
      observations_->show_rejected(tree_, rejected_, *drafter_);
    }
    observe(position + static_cast<std::size_t>(added));
    if (drafter_ != nullptr) drafter_->verified(verified.kept.subspan(1), verified.next);
    return added;
  }

 private:
  std::span<const Token> before(std::size_t position) const {
    return std::span(answer_.tokens).first(position);
  }
  /// Shows the drafter all rows before the last token's.
  void observe(std::size_t tokens) {
    if (drafter_ != nullptr && observations_ != nullptr) observations_->show(tokens - 1, *drafter_);
  }
  void count(std::size_t tokens) {
    for (; answer_.sampler.uses_counts() && counted_ < tokens; ++counted_)
      counts_.add(answer_.tokens[counted_]);
  }

  const Answer& answer_;
  draft::Drafter* drafter_;
  Observations* observations_;
  int most_nodes_ = 0;
  std::size_t counted_;  // tokens
  sampling::TokenCounts counts_;
  draft::TokenTree tree_;
  TextRounds rounds_;
  std::vector<int> rejected_;  // nodes
};

}  // namespace

Replay replay(const Answer& answer, draft::Drafter* drafter, Observations* observations) {
  Replay result;
  Walk walk(answer, drafter, observations);
  // The prefill gives the first token. Passes that begin in a loop are not counted, and those that
  // reach a loop only with the tokens before it.
  std::size_t first = answer.after_loop(static_cast<std::size_t>(answer.prompt) + 1);
  while (first < answer.tokens.size()) {
    const std::size_t last = answer.next_loop(first);
    TextRounds::each(answer, first, last, [&](std::size_t position, std::size_t end) {
      return walk.step(position, end, result);
    });
    first = answer.after_loop(last);
  }
  return result;
}

Replay replay_all(const std::vector<Answer>& answers, draft::Drafter* drafter) {
  Replay all;
  for (const Answer& answer : answers) all.add(replay(answer, drafter));
  return all;
}

}  // namespace outrider::calibrate
