#include "runtime/draft/parallel/parallel_drafter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"
#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

ParallelDrafterOptions checked(const ParallelModel& model, ParallelDrafterOptions options) {
  if (options.length < 1 || options.length > model.most_drafts())
    throw std::logic_error("ParallelDrafter: a length that the model lacks the masks for");
  if (options.verification == Verification::kRejection && !options.is_chain())
    throw std::logic_error("ParallelDrafter: a tree cannot be verified by rejection");
  if (model.drafts_one_by_one() && !options.is_chain())
    throw std::logic_error("ParallelDrafter: a tree cannot be drafted token by token");
  return options;
}

/// Rows after the text's, masks or drafted tokens, for so many depths.
int rows_for(const ParallelModel& model, int depths) {
  return model.token_inputs ? depths - 1 : depths;
}

}  // namespace

bool ParallelDrafterOptions::is_chain() const {
  return std::all_of(widths.begin(), widths.end(), [](int width) { return width == 1; });
}

ParallelDrafter::ParallelDrafter(std::shared_ptr<const ParallelModel> model,
                                 const std::shared_ptr<engine::Engine>& engine,
                                 ParallelDrafterOptions options)
    : model_(std::move(model)),
      options_(checked(*model_, std::move(options))),
      passes_(model_, engine, rows_for(*model_, options_.length)),
      vocabulary_(model_->layer.head_tokens, model_->layer.config.vocab,
                  model_->layer.config.vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), engine->score_kernels()),
      drawn_(options_.verification) {
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
  if (model_->reads_states()) kept = slots = std::min(slots, kept);
  passes_.keep(slots);
  states_.clear();
  prefill_seconds_ = 0;
  prefilled_ = rounds_ = rows_ = stopped_by_threshold_ = 0;
  return kept;
}

engine::TapRequest ParallelDrafter::wants() const {
  if (!model_->reads_states()) return {};
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
  log_reached_ = 0;
  level_.assign(1, 0);
  for (int depth = 0; depth < most; ++depth) {
    if (model_->drafts_one_by_one() && depth > 0) passes_.forward_drafted(tokens_.front().token);
    const std::span<const float> logits = passes_.logits(model_->drafts_one_by_one() ? 0 : depth);
    log_q_ = probability_.of(logits);
    if (!is_reached()) {
      ++stopped_by_threshold_;
      return;
    }
    draw(context, depth, logits);
    if (!add_level(logits, tree)) return;
  }
}

/// Forwards what of the text the drafter has not read, and masks for so many depths.
void ParallelDrafter::read(std::span<const Token> text, int depths) {
  const Stopwatch watch;
  const int before = passes_.slots();
  passes_.forward(text, states_, model_->drafts_one_by_one() ? 0 : rows_for(*model_, depths));
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

/// Whether the next depth is probable enough to be drafted.
bool ParallelDrafter::is_reached() {
  if (options_.threshold == 0) return true;
  log_reached_ += static_cast<double>(log_q_.of(log_q_.largest));
  return log_reached_ >= math::log(options_.threshold);
}

/// Draws the tokens of a depth, counted from 0.
void ParallelDrafter::draw(const DraftContext& context, int depth, std::span<const float> logits) {
  const sampling::SequenceSampling& sampling = context.sampling;
  const auto position = static_cast<std::int64_t>(context.committed.size()) + depth;
  const std::size_t at = static_cast<std::size_t>(depth);
  const int width = at < options_.widths.size() ? options_.widths[at] : 1;
  if (width > 1) return choice_.rank(sampling, logits, position, width, tokens_);
  if (drawn_.draws(sampling.options))
    return drawn_.draw(choice_, sampling, logits,
                       {.node = depth, .children = 1, .position = position}, tokens_);
  tokens_.assign(1, {choice_.choose(sampling, logits, position), 0, 0});
}

/// Adds them below every node of the depth before. @return whether the tree had room for all
bool ParallelDrafter::add_level(std::span<const float> logits, TokenTree& tree) {
  next_level_.clear();
  for (const int parent : level_) {
    for (std::size_t rank = 0; rank < tokens_.size(); ++rank) {
      const Token token = tokens_[rank].token;
      const int node = tree.add(parent, token,
                                {.source = Source::kModel,
                                 .rank = static_cast<int>(rank),
                                 .log_q = log_q_.of(logits[vocabulary_.row_of(token)])});
      if (node == TokenTree::kNone) return false;
      next_level_.push_back(node);
    }
  }
  std::swap(level_, next_level_);
  return true;
}

}  // namespace outrider::draft
