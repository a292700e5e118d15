#include "runtime/draft/parallelspec/parallelspec_passes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/grow_cache.h"

namespace outrider::draft {
namespace {

/// The most real rows of a pass.
constexpr int kRealRows = 64;

bool reads_pairs(const ParallelSpecModel& model) {
  return ParallelSpecModel::reads_pairs(model.flavour);
}

}  // namespace

ParallelSpecPasses::ParallelSpecPasses(std::shared_ptr<const ParallelSpecModel> model,
                                       std::shared_ptr<engine::Engine> engine, int more)
    : model_(std::move(model)),
      engine_(std::move(engine)),
      most_masks_(model_->drafts_one_by_one() ? 0 : more),
      more_(more),
      width_(static_cast<std::size_t>(model_->layer.config.width)),
      cache_(engine_->make_cache(0)) {
  if (more < 0 || most_masks_ > model_->masks() || model_->has_heads())
    throw std::logic_error("ParallelSpecPasses: more masks than the model has, or no layer");
  reading_.rows = kRealRows;
  // What the first drafted token goes on from.
  if (model_->drafts_one_by_one()) reading_.at_end.layers = {engine::kFinalNorm};
  const int most_drafted = more_ - most_masks_;  // at once
  pass_.rows.reserve(static_cast<std::size_t>(std::max(kRealRows + most_masks_, most_drafted)));
  if (model_->drafts_one_by_one()) own_.reserve((1 + static_cast<std::size_t>(more_)) * width_);
  if (!reads_pairs(*model_)) return;
  pairs_.resize(2 * width_ * static_cast<std::size_t>(std::max(kRealRows, most_drafted)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(most_masks_); ++i)
    for (const std::vector<float>* part : {&model_->mask_features, &model_->mask_embeddings})
      mask_pairs_.insert(mask_pairs_.end(), part->data() + i * width_,
                         part->data() + (i + 1) * width_);
}

int ParallelSpecPasses::slots_shared(int tokens) const {
  // EAGLE's first row is the second token's, after the first one's state.
  return std::min(slots(), std::max(0, reads_pairs(*model_) ? tokens - 1 : tokens));
}

void ParallelSpecPasses::copy_first(const ParallelSpecPasses& from, int slots) {
  reserve(slots);
  cache_->copy_prefix(*from.cache_, slots);
}

void ParallelSpecPasses::reserve(int tokens) {
  engine::grow_cache(*engine_, cache_, tokens + more_, context() + more_);
}

std::int64_t ParallelSpecPasses::bytes(int tokens) const {
  return engine::grown_bytes(*engine_, *cache_, tokens + more_, context() + more_);
}

/// What comes before a text's rows are read. @return the cache that gets them
engine::KvCache& ParallelSpecPasses::begin_reading(std::span<const Token> text,
                                                   std::span<const float> states, int masks) {
  const int unread = slots_of(static_cast<int>(text.size())) - slots();
  const int given = model_->reads_states() ? unread : 0;
  if (unread < 1 || masks > most_masks_ ||
      states.size() != static_cast<std::size_t>(given) * width_)
    throw std::logic_error("ParallelSpecPasses: no row, or other states than of the rows");
  reserve(static_cast<int>(text.size()));
  cache_->drop();
  own_.clear();
  return *cache_;
}

ParallelSpecPasses::RealRowsStep::RealRowsStep(ParallelSpecPasses& passes,
                                               std::span<const Token> text,
                                               std::span<const float> states, int masks)
    : TextStep(passes.begin_reading(text, states, masks),
               passes.slots_of(static_cast<int>(text.size())), passes.reading_),
      passes_(passes),
      text_(text),
      states_(states),
      first_slot_(static_cast<std::size_t>(passes.slots())),
      masks_(masks) {}

void ParallelSpecPasses::RealRowsStep::add_chunk(engine::Pass& pass, int sequence, int first,
                                                 int count) {
  int parent = engine::Row::kCommitted;
  const auto add = [&](engine::Row row) {
    row.sequence = sequence;
    row.parent = std::exchange(parent, static_cast<int>(pass.rows.size()));
    pass.rows.push_back(row);
  };
  for (int i = 0; i < count; ++i)
    add(real_row(static_cast<std::size_t>(first + i), static_cast<std::size_t>(i)));
  if (first + count < passes_.slots_of(static_cast<int>(text_.size()))) return;
  const ParallelSpecModel& model = *passes_.model_;
  // Over states the last real row repeats the text's last token.
  pass.rows.back().wants_logits = model.token_inputs;
  const bool pairs = reads_pairs(model);
  const float* state = pairs ? passes_.mask_pairs_.data() : model.mask_embeddings.data();
  for (int i = 0; i < masks_; ++i, state += pairs ? 2 * passes_.width_ : passes_.width_)
    add({.wants_logits = true, .state = state});
}

/// @param row  its number among the real rows of the pass
engine::Row ParallelSpecPasses::RealRowsStep::real_row(std::size_t slot, std::size_t row) const {
  const ParallelSpecModel& model = *passes_.model_;
  const std::size_t width = passes_.width_;
  if (!model.reads_states()) return {.token = text_[slot]};
  const std::span<const float> state = states_.subspan((slot - first_slot_) * width, width);
  if (!reads_pairs(model)) return {.state = state.data()};
  const std::span<float> pair = std::span(passes_.pairs_).subspan(2 * width * row, 2 * width);
  std::copy(state.begin(), state.end(), pair.begin());
  passes_.engine_->embed(text_[slot + 1], pair.subspan(width));
  return {.state = pair.data()};
}

void ParallelSpecPasses::RealRowsStep::take(const engine::StepRows& rows) {
  TextStep::take(rows);
  passes_.taken_ = rows;
  if (is_done() && passes_.model_->drafts_one_by_one())
    passes_.add_own_states(rows, rows.count - 1, 1);
}

void ParallelSpecPasses::forward(std::span<const Token> text, std::span<const float> states,
                                 int masks) {
  RealRowsStep step(*this, text, states, masks);
  engine::forward_chunks(*engine_, pass_, step);
}

void ParallelSpecPasses::DraftedStep::add_rows(engine::Pass& pass) {
  const std::size_t width = passes_.width_;
  std::vector<float>& pairs = passes_.pairs_;
  pairs.resize(std::max(pairs.size(), 2 * width * drafted_.size()));
  for (std::size_t i = 0; i < drafted_.size(); ++i) {
    const std::span<float> pair = std::span(pairs).subspan(2 * width * i, 2 * width);
    const std::span<float> own = passes_.own_state(drafted_[i].parent);
    std::copy(own.begin(), own.end(), pair.begin());
    passes_.engine_->embed(drafted_[i].token, pair.subspan(width));
  }
  const int sequence = pass.add_sequence(*passes_.cache_);
  static_assert(engine::Row::held(DraftedRow::kText) == engine::Row::kCommitted);
  for (std::size_t i = 0; i < drafted_.size(); ++i)
    pass.rows.push_back({.sequence = sequence,
                         .parent = engine::Row::held(drafted_[i].parent),
                         .wants_logits = true,
                         .state = pairs.data() + 2 * width * i});
  pass.request.merge(passes_.reading_.at_end);
}

void ParallelSpecPasses::DraftedStep::take(const engine::StepRows& rows) {
  passes_.taken_ = rows;
  passes_.add_own_states(rows, 0, static_cast<int>(drafted_.size()));
  passes_.cache_->hold();
}

void ParallelSpecPasses::forward_drafted(std::span<const DraftedRow> drafted) {
  DraftedStep step(*this, drafted);
  engine::forward_step(*engine_, pass_, step);
}

/// The drafter's own state at a row: as of DraftedRow.
std::span<float> ParallelSpecPasses::own_state(int row) {
  return std::span(own_).subspan(static_cast<std::size_t>(row + 1) * width_, width_);
}

/// Keeps those of some rows of a step.
void ParallelSpecPasses::add_own_states(const engine::StepRows& rows, int first, int count) {
  for (int row = first; row < first + count; ++row) {
    const auto own = rows.pass->observed.state(engine::kFinalNorm, rows.first + row);
    own_.insert(own_.end(), own.begin(), own.end());
  }
}

void ParallelSpecPasses::forward_ahead(const engine::Ahead& form,
                                       std::span<const engine::RowBefore> before,
                                       const std::function<void(sampling::DraftAhead&)>& draft) {
  own_before_.clear();
  for (const engine::RowBefore& one : before) {
    const std::span<const float> own = own_state(engine::Row::held(one.parent));
    own_before_.insert(own_before_.end(), own.begin(), own.end());
  }
  const std::size_t known = own_.size();
  own_.resize(known + static_cast<std::size_t>(form.levels * form.width) * width_);
  sampling::DraftAhead ahead = {
      .cache = *cache_,
      .logits = taken_.pass->logits,
      .before = before,
      .form = form,
      .rows = {},
      .states = {.before = own_before_, .after = std::span(own_).subspan(known)}};
  draft(ahead);
  cache_->hold();
}

}  // namespace outrider::draft
