#include "calibrate/gsd/gsd_replay.h"

#include <utility>

namespace outrider::calibrate {

GsdReplay::GsdReplay(const GsdSetting& setting, draft::NodeRanking& ranking)
    : setting_(setting), ranking_(ranking), growth_(setting.pruning), graph_(setting.tau) {}

ReplayedRound GsdReplay::round(RecordedStretch& stretch, std::size_t position, std::size_t end) {
  const Answer& answer = *stretch.answer;
  ReplayedRound made;
  made.position = position;
  made_ = &made;
  recorded_ = &stretch.trees[position - stretch.first];
  const sampling::TokenCounts counts = counts_before(answer, position);
  const draft::DraftContext context = {std::span(answer.tokens).first(position),
                                       {answer.sampler, answer.sequence_seed, counts}};
  ranking_.start_text();
  ranking_.start_round(context);
  std::swap(ranking_.kept(), recorded_->kept);

  const draft::DraftLimits limits = {setting_.steps, setting_.nodes};
  graph_.restart();
  records_.assign(1, 0);
  growth_.run(limits, *this, graph_);
  tree_.restart(answer.tokens[position - 1]);
  unmerging_.run(graph_, limits, this, tree_);
  std::swap(ranking_.kept(), recorded_->kept);

  made.drafted = graph_.num_drafted();
  made.merged = graph_.num_merged();
  made.verified = tree_.num_drafted();
  verify(std::span(answer.tokens).subspan(position, end - position), made);
  return made;
}

/// Verifies the tree against the text.
void GsdReplay::verify(std::span<const Token> to_come, ReplayedRound& round) {
  const TextRounds::Verified verified = rounds_.verify(tree_, to_come);
  for (const int node : verified.accepted()) {
    ++round.accepted;
    const bool is_copy = unmerging_.is_copy(node);
    round.accepted_copies += is_copy;
    round.later_children += unmerging_.rank_of(node) > 0;
    round.unread += is_copy || !graph_.is_open(unmerging_.node_of(node));
  }
  round.tokens = verified.tokens;
}

void GsdReplay::run(RecordedStretch& stretch, GsdTrial& sums,
                    const std::function<void(const ReplayedRound&)>& on_round) {
  const std::size_t last = stretch.first + stretch.trees.size();
  int unread = 1;  // tokens of the text that the draft model reads first
  TextRounds::each(*stretch.answer, stretch.first, last,
                   [&](std::size_t position, std::size_t end) {
                     const ReplayedRound round = this->round(stretch, position, end);
                     ++sums.rounds;
                     sums.tokens += round.tokens;
                     sums.drafted += round.drafted;
                     sums.merged += round.merged;
                     sums.copies += round.accepted_copies;
                     sums.lacking += round.lacks_nodes;
                     sums.rounds_with_copies += round.accepted_copies > 0;
                     sums.later_children += round.later_children;
                     sums.verified.add(1 + round.verified);
                     sums.drafting.add(unread);
                     for (const int rows : round.level_rows) sums.drafting.add(rows);
                     if (on_round) on_round(round);
                     unread = 1 + round.unread;
                     return round.tokens;
                   });
}

void GsdReplay::forward(const draft::DraftGraph& graph, std::span<const int> level) {
  records_.resize(static_cast<std::size_t>(graph.size()), RecordedTree::kNone);
  for (const int node : level)
    records_[static_cast<std::size_t>(node)] =
        recorded_->child(records_[static_cast<std::size_t>(graph.parent(node))], graph.token(node));
  made_->level_rows.push_back(static_cast<int>(level.size()));
}

std::span<const sampling::RankedToken> GsdReplay::after(const draft::DraftGraph& /*graph*/,
                                                        int node, int /*i*/) {
  const int record = records_[static_cast<std::size_t>(node)];
  if (!recorded_->is_expanded(record)) {
    made_->lacks_nodes = true;
    return {};
  }
  ranked_ = recorded_->children(record, setting_.children);
  return ranked_;
}

bool GsdReplay::rank(int node, const draft::TokenTree& tree, int tree_node,
                     std::vector<draft::RankedChild>& children) {
  const int record = records_[static_cast<std::size_t>(node)];
  return ranking_.after_copy(recorded_->kept_row(record), graph_.depth(node), tree, tree_node,
                             setting_.children, children);
}

}  // namespace outrider::calibrate
