#include "runtime/draft/parallelspec/depth_drafts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"
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
  if (!model.drafts_one_by_one()) return std::max(1, shape.length);
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
  const bool ahead = model.drafts_one_by_one() && !options.pair_weights.ranks(1);
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
  filled_ = answered_ = forwarded_ = 0;
  ahead_.restart();
  if (!growth_.run(shape_, depths, *this, tree)) ++stopped_by_threshold_;
  drawn_.note_in(tree);
  // A chain is as deep as there is room.
  const DraftLimits& limits = tree.limits();
  if (depths < std::min(options_.length, limits.depth) && tree.num_drafted() == limits.nodes)
    tree.note_cut();
}

double DepthDrafts::reach(int depth, const TokenTree& tree, std::span<const int> level) {
  if (one_by_one_) {
    open(depth, tree, level);
    return slots_.front().ranked.log_best;
  }
  // A device is asked once about all depths; on the host those that are not reached take no time.
  if (depth == filled_)
    fill_depths(depth, logits_->of(depth, 0).of->elsewhere() == nullptr ? 1 : depths_ - depth);
  return slots_[static_cast<std::size_t>(depth)].ranked.log_best;
}

/// Fills slots of depths that a pass gave.
void DepthDrafts::fill_depths(int first, int count) {
  const engine::Logits& logits = *logits_->of(first, 0).of;
  questions_.clear();
  for (int depth = first; depth < first + count; ++depth)
    questions_.push_back(question(logits_->of(depth, 0).row, depth));
  answered_ = 0;
  answer_questions(logits, new_answers());
  for (int i = 0; i < count; ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(first + i)];
    slot.row = logits_->of(first + i, 0);
    take(answers_[static_cast<std::size_t>(i)], ranks_at_once(logits), slot);
  }
  filled_ = first + count;
}

/// EAGLE-AR: fills the slots of a level.
void DepthDrafts::open(int depth, const TokenTree& tree, std::span<const int> level) {
  level_.assign(level.begin(), level.end());
  for (std::vector<int>* of_nodes : {&rows_, &numbers_})
    of_nodes->resize(static_cast<std::size_t>(tree.size()), LevelsAhead::kNone);
  opened_.clear();
  drafted_rows_.clear();
  for (std::size_t i = 0; i < level.size(); ++i) {
    const int node = level[i];
    int& row = rows_[static_cast<std::size_t>(node)];
    row = ParallelSpecPasses::DraftedRow::kText;
    if (depth > 0) {
      if (find_ahead(tree, node, slots_[i])) continue;
      drafted_rows_.push_back(
          {tree.token(node), rows_[static_cast<std::size_t>(tree.parent(node))]});
      row = forwarded_++;
    }
    opened_.push_back(static_cast<int>(i));
  }
  if (opened_.empty()) return;
  if (depth > 0) logits_->forward(drafted_rows_);
  fill_opened(depth, tree);
}

bool DepthDrafts::find_ahead(const TokenTree& tree, int node, Slot& slot) {
  const int parent = numbers_[static_cast<std::size_t>(tree.parent(node))];
  const LevelsAhead::Found found = ahead_.find(parent, tree.token(node));
  if (found.answer == LevelsAhead::kNone) return false;
  numbers_[static_cast<std::size_t>(node)] = found.answer;
  rows_[static_cast<std::size_t>(node)] = found.row;
  take(answers_[static_cast<std::size_t>(found.answer)], true, slot);
  return true;
}

/// Fills the slots of nodes that were forwarded last, and drafts ahead after them where that can be.
void DepthDrafts::fill_opened(int depth, const TokenTree& tree) {
  const engine::Logits& logits = *logits_->of(depth, 0).of;
  const int count = static_cast<int>(opened_.size());
  const bool ranks = ranks_at_once(logits);
  questions_.clear();
  for (int i = 0; i < count; ++i) questions_.push_back(question(logits_->of(depth, i).row, depth));
  const engine::Ahead form = ranks && drafts_ahead() ? form_ahead(depth, count) : engine::Ahead{};
  int first = 0;
  if (form.levels > 0) {
    first = answer_ahead(depth, form, tree);
  } else {
    // Nothing is found again in answers before these.
    if (!drafts_ahead()) answered_ = 0;
    first = new_answers();
    answer_questions(logits, first);
  }
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(opened_[static_cast<std::size_t>(i)]);
    numbers_[static_cast<std::size_t>(level_[at])] = first + i;
    slots_[at].row = logits_->of(depth, i);
    take(answers_[static_cast<std::size_t>(first + i)], ranks, slots_[at]);
  }
}

/// What is drafted ahead after nodes of a depth: what will be opened, where that is known, as many levels as there is room
/// for. Where a threshold can end a draft they are few.
engine::Ahead DepthDrafts::form_ahead(int depth, int opened) {
  const bool is_guess = shape_.best_nodes > 0;
  int most = depths_ - 1 - depth;
  if (shape_.threshold > 0) most = std::min(most, StopPolicy::kAtOnce - 1);
  if (is_guess) most = std::min(most, LevelsAhead::kLevels);
  engine::Ahead form = {.has_noise = is_guess};
  children_before_.clear();
  for (int level = 0; level < most; ++level) {
    const int nodes = shape_.most_of_depth(depth + level);
    const int width = is_guess ? std::min(nodes, LevelsAhead::kWidth) : nodes;
    const int children = is_guess ? width : shape_.width(depth + level);
    engine::Ahead longer = form;
    longer.levels = level + 1;
    longer.width = std::max(form.width, width);
    longer.children = std::max(form.children, children);
    if (!LevelsAhead::fits(longer, opened, logits_->room())) break;
    children_before_.push_back(children);
    form = longer;
  }
  form.children_before = children_before_;
  return form;
}

/// Answers the questions about the nodes that were forwarded last, and those about levels after them. @return the first
/// one's number
int DepthDrafts::answer_ahead(int depth, const engine::Ahead& form, const TokenTree& tree) {
  const int count = static_cast<int>(opened_.size());
  before_.clear();
  for (int i = 0; i < count; ++i) {
    int node = level_[static_cast<std::size_t>(opened_[static_cast<std::size_t>(i)])];
    engine::RowBefore& before = before_.emplace_back();
    before.row = questions_[static_cast<std::size_t>(i)].row;
    before.parent = engine::Row::held(rows_[static_cast<std::size_t>(node)]);
    for (; node != 0; node = tree.parent(node))
      before.chance *= math::exp(static_cast<double>(tree.origin(node).log_q));
  }
  for (int i = 0; i < form.levels * form.width; ++i)
    questions_.push_back(question(0, depth + 1 + i / form.width));
  int longest = 0;
  for (const sampling::DraftQuestion& one : questions_) longest = std::max(longest, one.most);
  for (sampling::DraftQuestion& one : questions_) one.most = longest;
  const int first = new_answers();
  logits_->ahead(form, before_, [&](sampling::DraftAhead& ahead) {
    ahead.rows = ahead_.rows(form);
    chooser_->answer_ahead(
        ahead, context_->sampling, questions_,
        std::span(answers_).subspan(static_cast<std::size_t>(first), questions_.size()));
  });
  ahead_.note(form, first, count, forwarded_, [&](int number, int rank) {
    return answers_[static_cast<std::size_t>(number)].ranked[static_cast<std::size_t>(rank)].token;
  });
  forwarded_ += form.levels * form.width;
  return first;
}

sampling::DraftQuestion DepthDrafts::question(int row, int depth) const {
  return {.row = row,
          .position = position(depth),
          .choice = sampling::DraftQuestion::Choice::kUnnormalised,
          .most = ranked_of_depth(depth),
          .reach = kShortlistReach};
}

/// Makes room for the answers to the questions. @return the first one's number
int DepthDrafts::new_answers() {
  const auto end = static_cast<std::size_t>(answered_) + questions_.size();
  if (answers_.size() < end) answers_.resize(end);
  return std::exchange(answered_, static_cast<int>(end));
}

/// Rows on the host are ranked when their rankings are asked for.
void DepthDrafts::answer_questions(const engine::Logits& logits, int first) {
  if (!ranks_at_once(logits))
    for (sampling::DraftQuestion& one : questions_)
      one.choice = sampling::DraftQuestion::Choice::kNone;
  chooser_->answer(logits, context_->sampling, questions_,
                   std::span(answers_).subspan(static_cast<std::size_t>(first), questions_.size()));
}

/// Fills a slot but for its row. @param is_ranked  whether the answer has a ranking
void DepthDrafts::take(sampling::DraftAnswer& answer, bool is_ranked, Slot& slot) {
  slot.log_q = answer.softmax;
  slot.ranked.log_best = static_cast<double>(slot.log_q.of(slot.log_q.largest));
  slot.is_ranked = false;
  if (is_ranked) take_ranking(answer, slot);
}

void DepthDrafts::take_ranking(sampling::DraftAnswer& answer, Slot& slot) {
  std::swap(slot.ranked.tokens, answer.ranked);
  std::swap(slot.logits, answer.logits);
  slot.is_ranked = true;
}

DepthDrafts::Slot& DepthDrafts::slot_of(const TokenTree& tree, int node) {
  if (!one_by_one_) return slots_[static_cast<std::size_t>(tree.depth(node))];
  const auto found = std::lower_bound(level_.begin(), level_.end(), node);
  return slots_[static_cast<std::size_t>(found - level_.begin())];
}

const RankedDepth& DepthDrafts::ranked(const TokenTree& tree, int node) {
  Slot& slot = slot_of(tree, node);
  if (slot.is_ranked) return slot.ranked;
  sampling::DraftQuestion one = question(slot.row.row, tree.depth(node));
  one.wants_softmax = false;
  chooser_->answer(*slot.row.of, context_->sampling, {&one, 1}, {&ranking_, 1});
  take_ranking(ranking_, slot);
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
