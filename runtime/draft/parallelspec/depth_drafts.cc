#include "runtime/draft/parallelspec/depth_drafts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {
namespace {

ParallelSpecDrafterOptions checked(const ParallelSpecModel& model,
                                   ParallelSpecDrafterOptions options) {
  if (options.length < 0 || options.length > model.most_drafts())
    throw std::logic_error("DepthDrafts: a length that the model lacks the masks for");
  if (options.verification == Verification::kRejection && options.best_nodes > 0)
    throw std::logic_error("DepthDrafts: the best nodes cannot be verified by rejection");
  return options;
}

/// Of all depths, or of the widest one.
int slots_of(const ParallelSpecModel& model, const LevelShape& shape) {
  if (!model.drafts_one_by_one() || shape.is_chain()) return std::max(1, shape.length);
  int most = 1;
  for (int depth = 0; depth + 1 < shape.length; ++depth)
    most = std::max(most, shape.most_of_depth(depth));
  return most;
}

}  // namespace

DepthDrafts::DepthDrafts(const ParallelSpecModel& model, ParallelSpecDrafterOptions options,
                         std::unique_ptr<sampling::Chooser> chooser)
    : options_(checked(model, std::move(options))),
      shape_(options_.shape()),
      chooser_(std::move(chooser)),
      drawn_(options_.verification, options_.chance),
      one_by_one_(model.drafts_one_by_one()),
      slots_(static_cast<std::size_t>(slots_of(model, shape_))) {
  level_.reserve(slots_.size());
}

std::unique_ptr<sampling::Chooser> DepthDrafts::make_chooser(
    engine::Engine& engine, const ParallelSpecModel& model,
    const ParallelSpecDrafterOptions& options) {
  const int vocab = model.layer.config.vocab;
  const bool ahead =
      model.drafts_one_by_one() && options.is_chain() && !options.pair_weights.ranks(1);
  return sampling::make_draft_chooser(engine, {model.layer.head_tokens, vocab, vocab}, 0, ahead);
}

int DepthDrafts::most_of(const DraftLimits& limits) const {
  return std::min({options_.length, limits.depth, limits.nodes});
}

void DepthDrafts::run(const DraftContext& context, int depths, const Logits& logits,
                      TokenTree& tree) {
  drawn_.restart();
  context_ = &context;
  logits_ = &logits;
  depths_ = depths;
  filled_ = 0;
  if (!growth_.run(shape_, depths, *this, tree)) ++stopped_by_threshold_;
  drawn_.note_in(tree);
  // A chain is as deep as there is room.
  const DraftLimits& limits = tree.limits();
  if (depths < std::min(options_.length, limits.depth) && tree.num_drafted() == limits.nodes)
    tree.note_cut();
}

double DepthDrafts::reach(int depth, const TokenTree& tree, std::span<const int> level) {
  if (slots_are_depths()) {
    if (depth == filled_) fill_depths(depth, tree, level);
    return slots_[static_cast<std::size_t>(depth)].ranked.log_best;
  }
  if (depth > 0) logits_->forward(tree, level);
  level_.assign(level.begin(), level.end());
  fill_slots(0, static_cast<int>(level_.size()), depth);
  return slots_.front().ranked.log_best;
}

/// Fills slots from a depth on: of all depths that a pass gave, or that can be drafted at once.
void DepthDrafts::fill_depths(int depth, const TokenTree& tree, std::span<const int> level) {
  const int left = depths_ - depth;
  if (one_by_one_) {
    if (depth > 0) logits_->forward(tree, level);
    const int count = shape_.threshold > 0 ? std::min(left, StopPolicy::kAtOnce) : left;
    return count > 1 ? fill_ahead(depth, count) : fill_slots(depth, 1, depth);
  }
  // A device is asked once about all depths; on the host those that are not reached take no time.
  fill_slots(depth, logits_->of(depth, 0).of->elsewhere() == nullptr ? 1 : left, depth);
}

/// @param depth  of the first
void DepthDrafts::fill_slots(int first, int count, int depth) {
  const auto row_of = [&](int i) {
    return one_by_one_ ? logits_->of(depth, i) : logits_->of(depth + i, 0);
  };
  const engine::Logits& logits = *row_of(0).of;
  const bool ranks = logits.elsewhere() != nullptr && !draws_at_random();
  questions_.clear();
  for (int i = 0; i < count; ++i) {
    const int own = one_by_one_ ? depth : depth + i;
    questions_.push_back(question(row_of(i).row, own));
    if (!ranks) questions_.back().choice = sampling::DraftQuestion::Choice::kNone;
  }
  chooser_->answer(logits, context_->sampling, questions_, new_answers());
  for (int i = 0; i < count; ++i) slots_[static_cast<std::size_t>(first + i)].row = row_of(i);
  take_all(first, ranks);
}

/// Drafts depths at once, as a chain: each depth's best token is the next one's row.
void DepthDrafts::fill_ahead(int depth, int count) {
  const engine::LogitsRow row = logits_->of(depth, 0);
  questions_.clear();
  for (int i = 0; i < count; ++i) questions_.push_back(question(row.row, depth + i));
  rows_ahead_.resize(questions_.size() - 1);
  logits_->ahead([&](sampling::DraftAhead& ahead) {
    ahead.form = {.levels = count - 1};
    ahead.rows = rows_ahead_;
    chooser_->answer_ahead(ahead, context_->sampling, questions_, new_answers());
  });
  take_all(depth, true);
}

sampling::DraftQuestion DepthDrafts::question(int row, int depth) const {
  return {.row = row,
          .position = position(depth),
          .choice = sampling::DraftQuestion::Choice::kUnnormalised,
          .most = ranked_of_depth(depth),
          .reach = kShortlistReach};
}

/// For the questions.
std::span<sampling::DraftAnswer> DepthDrafts::new_answers() {
  if (answers_.size() < questions_.size()) answers_.resize(questions_.size());
  return std::span(answers_).first(questions_.size());
}

/// Fills slots with the answers to all questions. @param ranks  whether rankings were asked for
void DepthDrafts::take_all(int first, bool ranks) {
  const int count = static_cast<int>(questions_.size());
  for (int i = 0; i < count; ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(first + i)];
    sampling::DraftAnswer& answer = answers_[static_cast<std::size_t>(i)];
    slot.log_q = answer.softmax;
    slot.ranked.log_best = static_cast<double>(slot.log_q.of(slot.log_q.largest));
    slot.is_ranked = false;
    if (ranks) take(answer, slot);
  }
  filled_ = first + count;
}

/// Takes the ranking of an answer.
void DepthDrafts::take(sampling::DraftAnswer& answer, Slot& slot) const {
  std::swap(slot.ranked.tokens, answer.ranked);
  std::swap(slot.logits, answer.logits);
  slot.is_ranked = true;
}

DepthDrafts::Slot& DepthDrafts::slot_of(const TokenTree& tree, int node) {
  if (slots_are_depths()) return slots_[static_cast<std::size_t>(tree.depth(node))];
  const auto found = std::lower_bound(level_.begin(), level_.end(), node);
  return slots_[static_cast<std::size_t>(found - level_.begin())];
}

const RankedDepth& DepthDrafts::ranked(const TokenTree& tree, int node) {
  Slot& slot = slot_of(tree, node);
  if (slot.is_ranked) return slot.ranked;
  const int depth = tree.depth(node);
  const sampling::DraftQuestion question = {
      .row = slot.row.row,
      .position = position(depth),
      .choice = sampling::DraftQuestion::Choice::kUnnormalised,
      .most = ranked_of_depth(depth),
      .reach = kShortlistReach,
      .wants_softmax = false};
  chooser_->answer(*slot.row.of, context_->sampling, {&question, 1}, std::span(answers_).first(1));
  take(answers_.front(), slot);
  return slot.ranked;
}

/// Tokens that are ranked of what follows a node of a depth. What depends on the node is ranked once, so that only a list to
/// be ranked again is longer than what is drafted.
int DepthDrafts::ranked_of_depth(int depth) const {
  if (shape_.best_nodes > 0) return kShortlist;
  const bool is_shared = !one_by_one_ || options_.pair_weights.ranks(depth);
  const int width = shape_.width(depth);
  return is_shared ? shortlist_length(width) : width;
}

bool DepthDrafts::draws_at_random() const { return drawn_.draws(context_->sampling.options); }

std::span<const sampling::RankedToken> DepthDrafts::draw(const TokenTree& tree, int node,
                                                         int width) {
  const sampling::SequenceSampling& sampling = context_->sampling;
  const int depth = tree.depth(node);
  if (draws_at_random()) {
    drawn_.draw(*chooser_, sampling, slot_of(tree, node).row,
                {.node = node, .children = width, .position = position(depth)}, drafted_);
    return drafted_;
  }
  draw_from(options_.pair_weights, ranked(tree, node), depth, tree.token(node),
            sampling.options.temperature, width, drafted_);
  return drafted_;
}

void DepthDrafts::rank_likely(const TokenTree& tree, int node, int width,
                              std::vector<LikelyToken>& likely) {
  draft::rank_likely(options_.pair_weights, ranked(tree, node), tree.depth(node), tree.token(node),
                     context_->sampling.options.temperature, width, likely);
}

/// The position of a depth's tokens in the text.
std::int64_t DepthDrafts::position(int depth) const {
  return static_cast<std::int64_t>(context_->committed.size()) + depth;
}

float DepthDrafts::log_q(const TokenTree& tree, int node, Token token) {
  const Slot& slot = slot_of(tree, node);
  if (draws_at_random()) return slot.log_q.of(chooser_->logit(slot.row, token));
  const auto& tokens = slot.ranked.tokens;
  const auto found = std::find_if(tokens.begin(), tokens.end(),
                                  [&](const auto& one) { return one.token == token; });
  return slot.log_q.of(slot.logits[static_cast<std::size_t>(found - tokens.begin())]);
}

}  // namespace outrider::draft
