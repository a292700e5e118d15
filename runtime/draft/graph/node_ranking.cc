#include "runtime/draft/graph/node_ranking.h"

#include <utility>

namespace outrider::draft {

NodeRanking::NodeRanking(DraftVocabulary vocabulary, const engine::ScoreKernels& kernels,
                         DrawnChildren drawn)
    : vocabulary_(std::move(vocabulary)),
      choice_(vocabulary_.choice()),
      copy_choice_(choice_),
      probability_(static_cast<int>(vocabulary_.size()), kernels),
      kept_(vocabulary_),
      drawn_(std::move(drawn)) {}

void NodeRanking::start_round(const DraftContext& context) {
  context_ = &context;
  text_counts_.follow(context);
  kept_.clear();
  drawn_.restart();
}

bool NodeRanking::copies_are_ranked() const {
  const sampling::SamplerOptions& options = context_->sampling.options;
  return options.temperature > 0 || options.uses_counts();
}

void NodeRanking::set_scores(std::span<const float> logits, int* kept) {
  const bool is_greedy = context_->sampling.options.temperature == 0;
  const bool keeps = kept != nullptr && copies_are_ranked();
  const LogSoftmax softmax = is_greedy || keeps ? probability_.of(logits) : LogSoftmax();
  if (is_greedy)
    for (sampling::RankedToken& one : ranked_)
      one.score = softmax.of(logits[vocabulary_.row_of(one.token)]);
  if (keeps) *kept = kept_.keep(vocabulary_, logits, softmax);
}

bool NodeRanking::after_copy(int kept, int depth, const TokenTree& tree, int tree_node,
                             int num_children, std::vector<RankedChild>& children) {
  const sampling::SamplerOptions& options = context_->sampling.options;
  const bool has_own_noise = tree.depth(tree_node) != depth;
  if (kept == kNone || !(has_own_noise || options.uses_counts())) return false;
  copy_choice_.restrict_to(kept_.tokens(kept));
  rank(copy_choice_, tree, tree_node, kept_.logits(kept), num_children);
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
