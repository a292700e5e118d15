#include "runtime/draft/parallel/depth_drafts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::draft {
namespace {

ParallelDrafterOptions checked(const ParallelModel& model, ParallelDrafterOptions options) {
  if (options.length < 0 || options.length > model.most_drafts())
    throw std::logic_error("DepthDrafts: a length that the model lacks the masks for");
  if (options.verification == Verification::kRejection && !options.is_chain())
    throw std::logic_error("DepthDrafts: a tree cannot be verified by rejection");
  if (model.drafts_one_by_one() && !options.is_chain())
    throw std::logic_error("DepthDrafts: a tree cannot be drafted token by token");
  if (model.drafts_one_by_one()) options.following = {};
  return options;
}

}  // namespace

DepthDrafts::DepthDrafts(const ParallelModel& model, const engine::ScoreKernels& kernels,
                         ParallelDrafterOptions options)
    : options_(checked(model, std::move(options))),
      shape_(options_.shape()),
      vocabulary_(model.layer.head_tokens, model.layer.config.vocab, model.layer.config.vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), kernels),
      drawn_(options_.verification),
      one_by_one_(model.drafts_one_by_one()),
      slots_(static_cast<std::size_t>(options_.length)) {}

int DepthDrafts::most_of(const DraftLimits& limits) const {
  return std::min({options_.length, limits.depth, limits.nodes});
}

void DepthDrafts::run(const DraftContext& context, int depths, const LogitsOf& logits_of,
                      TokenTree& tree) {
  drawn_.restart();
  context_ = &context;
  logits_of_ = &logits_of;
  if (!growth_.run(shape_, depths, *this, tree)) ++stopped_by_threshold_;
}

double DepthDrafts::reach(int depth) {
  depth_ = depth;
  Slot& reached = slot(depth);
  reached.logits = (*logits_of_)(depth);
  reached.log_q = probability_.of(reached.logits);
  reached.is_ranked = false;
  reached.ranked.log_best = static_cast<double>(reached.log_q.of(reached.log_q.largest));
  return reached.ranked.log_best;
}

const RankedDepth& DepthDrafts::ranked(int depth, int most) {
  Slot& of = slot(depth);
  if (!of.is_ranked)
    choice_.rank_unnormalised(context_->sampling, of.logits, position(depth),
                              one_by_one_ ? 1 : most, of.ranked.tokens, kShortlistReach);
  of.is_ranked = true;
  return of.ranked;
}

std::span<const sampling::RankedToken> DepthDrafts::draw(Token before, int width) {
  const sampling::SequenceSampling& sampling = context_->sampling;
  if (drawn_.draws(sampling.options))
    drawn_.draw(choice_, sampling, slot(depth_).logits,
                {.node = depth_, .children = 1, .position = position(depth_)}, drafted_);
  else
    draw_from(options_.following, ranked(depth_, shortlist_length(width)), depth_, before,
              sampling.options.temperature, width, drafted_);
  return drafted_;
}

void DepthDrafts::rank_likely(int depth, Token before, int width,
                              std::vector<LikelyToken>& likely) {
  draft::rank_likely(options_.following, ranked(depth, kShortlist), depth, before,
                     context_->sampling.options.temperature, width, likely);
}

/// The position of a depth's tokens in the text.
std::int64_t DepthDrafts::position(int depth) const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth;
}

float DepthDrafts::log_q(int depth, Token token) {
  return slot(depth).log_q.of(slot(depth).logits[vocabulary_.row_of(token)]);
}

}  // namespace outrider::draft
