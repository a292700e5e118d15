#include "runtime/draft/parallel/depth_drafts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::draft {
namespace {

ParallelDrafterOptions checked(const ParallelModel& model, ParallelDrafterOptions options) {
  if (options.length < 0 || options.length > model.most_drafts())
    throw std::logic_error("DepthDrafts: a length that the model lacks the masks for");
  if (options.verification == Verification::kRejection && options.best_nodes > 0)
    throw std::logic_error("DepthDrafts: the best nodes cannot be verified by rejection");
  return options;
}

/// Of all depths, or of the widest one.
int slots_of(const ParallelModel& model, const LevelShape& shape) {
  if (!model.drafts_one_by_one()) return shape.length;
  int most = 1;
  for (int depth = 0; depth + 1 < shape.length; ++depth)
    most = std::max(most, shape.most_of_depth(depth));
  return most;
}

}  // namespace

DepthDrafts::DepthDrafts(const ParallelModel& model, const engine::ScoreKernels& kernels,
                         ParallelDrafterOptions options)
    : options_(checked(model, std::move(options))),
      shape_(options_.shape()),
      vocabulary_(model.layer.head_tokens, model.layer.config.vocab, model.layer.config.vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), kernels),
      drawn_(options_.verification, options_.chance),
      one_by_one_(model.drafts_one_by_one()),
      slots_(static_cast<std::size_t>(slots_of(model, shape_))) {
  level_.reserve(slots_.size());
}

int DepthDrafts::most_of(const DraftLimits& limits) const {
  return std::min({options_.length, limits.depth, limits.nodes});
}

void DepthDrafts::run(const DraftContext& context, int depths, const Logits& logits,
                      TokenTree& tree) {
  drawn_.restart();
  context_ = &context;
  logits_ = &logits;
  if (!growth_.run(shape_, depths, *this, tree)) ++stopped_by_threshold_;
  drawn_.note_in(tree);
  // A chain is as deep as there is room.
  const DraftLimits& limits = tree.limits();
  if (depths < std::min(options_.length, limits.depth) && tree.num_drafted() == limits.nodes)
    tree.note_cut();
}

double DepthDrafts::reach(int depth, const TokenTree& tree, std::span<const int> level) {
  if (!one_by_one_)
    return fill_slot(static_cast<std::size_t>(depth), logits_->of(depth, 0)).ranked.log_best;
  if (depth > 0) logits_->forward(tree, level);
  level_.assign(level.begin(), level.end());
  for (std::size_t i = 0; i < level_.size(); ++i)
    fill_slot(i, logits_->of(depth, static_cast<int>(i)));
  return slots_.front().ranked.log_best;
}

DepthDrafts::Slot& DepthDrafts::fill_slot(std::size_t number, std::span<const float> logits) {
  Slot& filled = slots_[number];
  filled.logits = logits;
  filled.log_q = probability_.of(logits);
  filled.is_ranked = false;
  filled.ranked.log_best = static_cast<double>(filled.log_q.of(filled.log_q.largest));
  return filled;
}

DepthDrafts::Slot& DepthDrafts::slot_of(const TokenTree& tree, int node) {
  if (!one_by_one_) return slots_[static_cast<std::size_t>(tree.depth(node))];
  const auto found = std::lower_bound(level_.begin(), level_.end(), node);
  return slots_[static_cast<std::size_t>(found - level_.begin())];
}

const RankedDepth& DepthDrafts::ranked(const TokenTree& tree, int node, int most) {
  Slot& of = slot_of(tree, node);
  if (!of.is_ranked)
    choice_.rank_unnormalised(context_->sampling, of.logits, position(tree.depth(node)), most,
                              of.ranked.tokens, kShortlistReach);
  of.is_ranked = true;
  return of.ranked;
}

bool DepthDrafts::draws_at_random() const { return drawn_.draws(context_->sampling.options); }

std::span<const sampling::RankedToken> DepthDrafts::draw(const TokenTree& tree, int node,
                                                         int width) {
  const sampling::SequenceSampling& sampling = context_->sampling;
  const int depth = tree.depth(node);
  if (draws_at_random()) {
    drawn_.draw(choice_, sampling, slot_of(tree, node).logits,
                {.node = node, .children = width, .position = position(depth)}, drafted_);
    return drafted_;
  }
  // What depends on the node is ranked once, so that only a list to be ranked again is longer than what is drafted.
  const bool is_shared = !one_by_one_ || options_.following.ranks(depth);
  draw_from(options_.following, ranked(tree, node, is_shared ? shortlist_length(width) : width),
            depth, tree.token(node), sampling.options.temperature, width, drafted_);
  return drafted_;
}

void DepthDrafts::rank_likely(const TokenTree& tree, int node, int width,
                              std::vector<LikelyToken>& likely) {
  draft::rank_likely(options_.following, ranked(tree, node, kShortlist), tree.depth(node),
                     tree.token(node), context_->sampling.options.temperature, width, likely);
}

/// The position of a depth's tokens in the text.
std::int64_t DepthDrafts::position(int depth) const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth;
}

float DepthDrafts::log_q(const TokenTree& tree, int node, Token token) {
  const Slot& slot = slot_of(tree, node);
  return slot.log_q.of(slot.logits[vocabulary_.row_of(token)]);
}

}  // namespace outrider::draft
