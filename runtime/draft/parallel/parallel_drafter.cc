#include "runtime/draft/parallel/parallel_drafter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

ParallelDrafterOptions checked(const ParallelModel& model, ParallelDrafterOptions options) {
  if (options.length < 0 || options.length > model.most_drafts())
    throw std::logic_error("ParallelDrafter: a length that the model lacks the masks for");
  if (options.verification == Verification::kRejection && !options.is_chain())
    throw std::logic_error("ParallelDrafter: a tree cannot be verified by rejection");
  if (model.drafts_one_by_one() && !options.is_chain())
    throw std::logic_error("ParallelDrafter: a tree cannot be drafted token by token");
  return options;
}

}  // namespace

ParallelDrafter::ParallelDrafter(std::shared_ptr<const ParallelModel> model,
                                 const std::shared_ptr<engine::Engine>& engine,
                                 ParallelDrafterOptions options)
    : model_(std::move(model)),
      options_(checked(*model_, std::move(options))),
      passes_(model_, engine, model_->more_rows(options_.length)),
      vocabulary_(model_->layer.head_tokens, model_->layer.config.vocab,
                  model_->layer.config.vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), engine->score_kernels()),
      drawn_(options_.verification),
      shape_(options_.shape()) {
  // Of an accepted round, and of its root.
  const int states = model_->reads_states() ? options_.length + 1 : 0;
  states_.reserve(static_cast<std::size_t>(states * model_->layer.config.width));
}

std::string ParallelDrafter::name() const { return method_of(model_->flavour); }

std::vector<DrafterSeconds> ParallelDrafter::divide(double seconds) const {
  const double prefill = std::min(prefill_seconds_, seconds);
  return {{name(), seconds - prefill}, {name() + "-prefill", prefill}};
}

std::vector<DrafterCount> ParallelDrafter::counts() const {
  return {{"rounds", rounds_},
          {"rows", rows_},
          {"stopped_by_threshold", stopped_by_threshold_},
          {"prefilled_tokens", prefilled_}};
}

void ParallelDrafter::reset() { start({}, 0); }

int ParallelDrafter::start(std::span<const Token> text, int kept) {
  int slots = passes_.slots_shared(held_.keep_prefix(text));
  // What it read goes up to a row whose state it was not handed; the rows from there on are observed again.
  if (!wants().empty()) kept = slots = std::min(slots, kept);
  passes_.keep(slots);
  states_.clear();
  prefill_seconds_ = 0;
  prefilled_ = rounds_ = rows_ = stopped_by_threshold_ = 0;
  return kept;
}

engine::TapRequest ParallelDrafter::wants() const {
  if (!model_->reads_states() || options_.length == 0) return {};
  return {.layers = {engine::kFinalNorm}};
}

void ParallelDrafter::observe(const engine::Pass& pass, std::span<const int> rows) {
  for (const int row : rows) {
    const std::span<const float> state = pass.observed.state(engine::kFinalNorm, row);
    states_.insert(states_.end(), state.begin(), state.end());
  }
}

void ParallelDrafter::fill(const DraftContext& context, TokenTree& tree) {
  const DraftLimits& limits = tree.limits();
  const int most = std::min({options_.length, limits.depth, limits.nodes});
  const int tokens = static_cast<int>(context.committed.size());
  // The first token of a text may have no row.
  if (most < 1 || tokens > passes_.context() || passes_.slots_of(tokens) < 1) return;
  // Of the whole answer at once: steps allocate nothing.
  const int longest =
      std::min(tokens + std::min(limits.depth, passes_.context()), passes_.context());
  passes_.reserve(longest);
  held_.reserve(longest);
  read(context.committed, most);
  ++rounds_;
  drawn_.restart();
  context_ = &context;
  if (!growth_.run(shape_, most, *this, tree)) ++stopped_by_threshold_;
}

/// Forwards what of the text the drafter has not read, and masks for so many depths.
void ParallelDrafter::read(std::span<const Token> text, int depths) {
  const Stopwatch watch;
  const int before = passes_.slots();
  passes_.forward(text, states_, model_->drafts_one_by_one() ? 0 : model_->more_rows(depths));
  states_.clear();
  held_.hold(text);
  const int rows = passes_.slots() - before;
  if (rounds_ > 0) {
    rows_ += rows;
    return;
  }
  prefilled_ = rows;
  prefill_seconds_ = watch.seconds();
}

double ParallelDrafter::reach(int depth) {
  const bool one_by_one = model_->drafts_one_by_one();
  if (one_by_one && depth > 0) passes_.forward_drafted(tokens_.front().token);
  depth_ = depth;
  logits_ = passes_.logits(one_by_one ? 0 : depth);
  log_q_ = probability_.of(logits_);
  return static_cast<double>(log_q_.of(log_q_.largest));
}

std::span<const sampling::RankedToken> ParallelDrafter::draw(int width) {
  const sampling::SequenceSampling& sampling = context_->sampling;
  const auto position = static_cast<std::int64_t>(context_->committed.size()) + depth_;
  if (width > 1) {
    choice_.rank(sampling, logits_, position, width, tokens_);
  } else if (drawn_.draws(sampling.options)) {
    drawn_.draw(choice_, sampling, logits_, {.node = depth_, .children = 1, .position = position},
                tokens_);
  } else {
    tokens_.assign(1, {choice_.choose(sampling, logits_, position), 0, 0});
  }
  return tokens_;
}

float ParallelDrafter::log_q(Token token) { return log_q_.of(logits_[vocabulary_.row_of(token)]); }

}  // namespace outrider::draft
