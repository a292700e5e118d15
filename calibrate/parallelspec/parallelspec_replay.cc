#include "calibrate/parallelspec/parallelspec_replay.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::calibrate {

ParallelSpecReplay::ParallelSpecReplay(draft::LevelShape shape,
                                       const draft::ParallelSpecModel& model)
    : shape_(std::move(shape)), model_(model) {}

void ParallelSpecReplay::run(const RecordedLevels& recorded, cost::TrialCounts& sums,
                             const std::function<void(const TreeRound&)>& on_round) {
  if (shape_.length > recorded.depths)
    throw std::logic_error("ParallelSpecReplay: more depths than were recorded");
  recorded_ = &recorded;
  int unread = 1;  // tokens of the text that the drafter reads first
  TextRounds::each(*recorded.answer, recorded.first, recorded.first + recorded.positions(),
                   [&](std::size_t position, std::size_t end) {
                     const TreeRound made = round(position, end);
                     ++sums.rounds;
                     sums.tokens += made.tokens;
                     sums.drafted += made.drafted;
                     sums.verified.add(1 + made.drafted);
                     add_passes(unread, sums);
                     if (on_round) on_round(made);
                     unread = made.tokens;
                     return made.tokens;
                   });
}

TreeRound ParallelSpecReplay::round(std::size_t position, std::size_t end) {
  const std::vector<Token>& tokens = recorded_->answer->tokens;
  position_ = position;
  reached_ = 0;
  tree_.restart(tokens[position - 1]);
  growth_.run(shape_, shape_.length, *this, tree_);
  const TextRounds::Verified verified =
      rounds_.verify(tree_, std::span(tokens).subspan(position, end - position));
  return {position, tree_.num_drafted(), verified.draft.accepted(), verified.tokens};
}

/// The drafter's passes of the round.
void ParallelSpecReplay::add_passes(int unread, cost::TrialCounts& sums) const {
  // Heads read one state, whatever was accepted.
  if (model_.has_heads()) return sums.drafting.add(shape_.length);
  if (!model_.drafts_one_by_one())
    return sums.drafting.add(unread + model_.more_rows(shape_.length));
  sums.drafting.add(unread);
  for (int depth = 1; depth < reached_; ++depth) sums.drafting.add(1);
}

double ParallelSpecReplay::reach(int depth, const draft::TokenTree& /*tree*/,
                                 std::span<const int> /*level*/) {
  level_ = &recorded_->at(position_, depth);
  reached_ = depth + 1;
  return level_->log_best;
}

std::span<const sampling::RankedToken> ParallelSpecReplay::draw(const draft::TokenTree& tree,
                                                                int node, int width) {
  draft::draw_from(recorded_->pair_weights, *level_, reached_ - 1, tree.token(node),
                   recorded_->answer->sampler.temperature, width, ranked_);
  return ranked_;
}

void ParallelSpecReplay::rank_likely(const draft::TokenTree& tree, int node, int width,
                                     std::vector<draft::LikelyToken>& likely) {
  const int depth = tree.depth(node);
  draft::rank_likely(recorded_->pair_weights, recorded_->at(position_, depth), depth,
                     tree.token(node), recorded_->answer->sampler.temperature, width, likely);
}

}  // namespace outrider::calibrate
