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
      drawn_(options_.verification) {}

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
  logits_ = (*logits_of_)(depth);
  log_q_ = probability_.of(logits_);
  is_drawn_ = false;
  return static_cast<double>(log_q_.of(log_q_.largest));
}

std::span<const sampling::RankedToken> DepthDrafts::draw(Token before, int width) {
  const sampling::SamplerOptions& options = context_->sampling.options;
  const bool ranks_after = options_.following.ranks(depth_) && !drawn_.draws(options);
  if (!is_drawn_ && ranks_after)
    choice_.rank(context_->sampling, logits_, position(), shortlist_length(width), shortlist_);
  else if (!is_drawn_)
    draw_depth(width);
  is_drawn_ = true;
  if (ranks_after)
    rank_after(options_.following, before, options.temperature, shortlist_, width, tokens_);
  return tokens_;
}

/// Draws the depth's tokens, whichever token is before them.
void DepthDrafts::draw_depth(int width) {
  const sampling::SequenceSampling& sampling = context_->sampling;
  if (width > 1) {
    choice_.rank(sampling, logits_, position(), width, tokens_);
  } else if (drawn_.draws(sampling.options)) {
    drawn_.draw(choice_, sampling, logits_, {.node = depth_, .children = 1, .position = position()},
                tokens_);
  } else {
    tokens_.assign(1, {choice_.choose(sampling, logits_, position()), 0, 0});
  }
}

/// The position of the depth's tokens in the text.
std::int64_t DepthDrafts::position() const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth_;
}

float DepthDrafts::log_q(Token token) { return log_q_.of(logits_[vocabulary_.row_of(token)]); }

}  // namespace outrider::draft
