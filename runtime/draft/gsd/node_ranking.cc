#include "runtime/draft/gsd/node_ranking.h"

#include <utility>

namespace outrider::draft {

NodeRanking::NodeRanking(engine::Engine& engine, const sampling::HeadVocabulary& vocabulary,
                         DrawnChildren drawn, bool ahead)
    : chooser_(
          sampling::make_draft_chooser(engine, vocabulary, KeptLogits::of_row(vocabulary), ahead)),
      copy_choice_(vocabulary.choice()),
      kept_(vocabulary),
      drawn_(std::move(drawn)) {}

void NodeRanking::start_round(const DraftContext& context) {
  context_ = &context;
  text_counts_.follow(context);
  kept_.clear();
  drawn_.restart();
  read_ = 0;
}

int NodeRanking::read_level(const engine::Logits& logits, int rows, int depth, int children,
                            bool keeps) {
  if (logits.elsewhere() == nullptr || !reads_together()) return kNone;
  questions_.clear();
  for (int row = 0; row < rows; ++row) questions_.push_back(question(row, depth, children, keeps));
  chooser_->answer(logits, context_->sampling, questions_, new_answers());
  return std::exchange(read_, read_ + rows);
}

int NodeRanking::read_ahead(const sampling::DraftAhead& ahead, int depth, bool keeps) {
  questions_.clear();
  for (const engine::RowBefore& one : ahead.before)
    questions_.push_back(question(one.row, depth, ahead.form.children, keeps));
  for (int row = 0; row < ahead.form.levels * ahead.form.width; ++row)
    questions_.push_back(
        question(row, depth + 1 + row / ahead.form.width, ahead.form.children, keeps));
  chooser_->answer_ahead(ahead, context_->sampling, questions_, new_answers());
  return std::exchange(read_, read_ + static_cast<int>(questions_.size()));
}

/// For the questions.
std::span<sampling::DraftAnswer> NodeRanking::new_answers() {
  const auto first = static_cast<std::size_t>(read_);
  if (answers_.size() < first + questions_.size()) answers_.resize(first + questions_.size());
  return std::span(answers_).subspan(first, questions_.size());
}

bool NodeRanking::copies_are_ranked() const {
  const sampling::SamplerOptions& options = context_->sampling.options;
  return options.temperature > 0 || options.uses_counts();
}

sampling::DraftQuestion NodeRanking::question(int row, int depth, int children, bool keeps) const {
  const bool wants_kept = keeps && copies_are_ranked();
  return {.row = row,
          .position = position_after(depth),
          .choice = sampling::DraftQuestion::Choice::kRanked,
          .most = children,
          .wants_softmax = wants_kept || context_->sampling.options.temperature == 0,
          .wants_best = wants_kept};
}

/// The tokens of an answer with their scores. @param kept  as of `after`
std::span<const sampling::RankedToken> NodeRanking::scored(sampling::DraftAnswer& answer,
                                                           int* kept) {
  if (context_->sampling.options.temperature == 0)
    for (std::size_t i = 0; i < answer.ranked.size(); ++i)
      answer.ranked[i].score = static_cast<double>(answer.softmax.of(answer.logits[i]));
  if (kept != nullptr && copies_are_ranked())
    *kept = kept_.keep(chooser_->vocabulary(), answer.sums.best, answer.softmax);
  return answer.ranked;
}

bool NodeRanking::after_copy(int kept, int depth, const TokenTree& tree, int tree_node,
                             int num_children, std::vector<RankedChild>& children) {
  const sampling::SamplerOptions& options = context_->sampling.options;
  const bool has_own_noise = tree.depth(tree_node) != depth;
  if (kept == kNone || !(has_own_noise || options.uses_counts())) return false;
  copy_choice_.restrict_to(kept_.tokens(kept));
  with_counts(tree, tree_node, [&](const sampling::SequenceSampling& sampling) {
    copy_choice_.rank(sampling, kept_.logits(kept), position_after(tree.depth(tree_node)),
                      num_children, ranked_);
  });
  children.clear();
  for (const sampling::RankedToken& one : ranked_)
    children.push_back({one.token, options.temperature > 0
                                       ? one.score
                                       : static_cast<double>(kept_.log_q(kept, one.token))});
  return true;
}

std::int64_t NodeRanking::position_after(int depth) const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth;
}

}  // namespace outrider::draft
