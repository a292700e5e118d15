#include "runtime/draft/parallel/parallel_passes.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "runtime/engine/grow_cache.h"

namespace outrider::draft {
namespace {

/// The most real rows of a pass.
constexpr int kRealRows = 64;

bool reads_pairs(const ParallelModel& model) { return ParallelModel::reads_pairs(model.flavour); }

}  // namespace

ParallelPasses::ParallelPasses(std::shared_ptr<const ParallelModel> model,
                               std::shared_ptr<engine::Engine> engine, int more)
    : model_(std::move(model)),
      engine_(std::move(engine)),
      most_masks_(model_->drafts_one_by_one() ? 0 : more),
      more_(more),
      width_(static_cast<std::size_t>(model_->layer.config.width)),
      cache_(engine_->make_cache(0)) {
  if (more < 0 || most_masks_ > model_->masks() || model_->has_heads())
    throw std::logic_error("ParallelPasses: more masks than the model has, or no layer");
  reading_.rows = kRealRows;
  // What the first drafted token goes on from.
  if (model_->drafts_one_by_one()) reading_.at_end.layers = {engine::kFinalNorm};
  const int most_drafted = more_ - most_masks_;  // at once
  pass_.rows.reserve(static_cast<std::size_t>(std::max(kRealRows + most_masks_, most_drafted)));
  if (!reads_pairs(*model_)) return;
  pairs_.resize(2 * width_ * static_cast<std::size_t>(std::max(kRealRows, most_drafted)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(most_masks_); ++i)
    for (const std::vector<float>* part : {&model_->mask_features, &model_->mask_embeddings})
      mask_pairs_.insert(mask_pairs_.end(), part->data() + i * width_,
                         part->data() + (i + 1) * width_);
}

int ParallelPasses::slots_shared(int tokens) const {
  // EAGLE's first row is the second token's, after the first one's state.
  return std::min(slots(), std::max(0, reads_pairs(*model_) ? tokens - 1 : tokens));
}

void ParallelPasses::copy_first(const ParallelPasses& from, int slots) {
  reserve(slots);
  cache_->copy_prefix(*from.cache_, slots);
}

void ParallelPasses::reserve(int tokens) {
  engine::grow_cache(*engine_, cache_, tokens + more_, context() + more_);
}

std::int64_t ParallelPasses::bytes(int tokens) const {
  return engine::grown_bytes(*engine_, *cache_, tokens + more_, context() + more_);
}

void ParallelPasses::forward(std::span<const Token> text, std::span<const float> states,
                             int masks) {
  const int end = slots_of(static_cast<int>(text.size()));
  const int unread = end - slots();
  const int given = model_->reads_states() ? unread : 0;
  if (unread < 1 || masks > most_masks_ ||
      states.size() != static_cast<std::size_t>(given) * width_)
    throw std::logic_error("ParallelPasses::forward: no row, or other states than of the rows");
  reserve(static_cast<int>(text.size()));
  cache_->drop();
  state_ahead_.clear();
  const auto add_rows = [&](engine::Pass& /*pass*/, int first, int count) {
    for (int i = 0; i < count; ++i) {
      add_real_row(text, states.data());
      if (given > 0) states = states.subspan(width_);
    }
    if (first + count == end) add_masks(masks);
  };
  engine::forward_rows(*engine_, *cache_, pass_, unread, std::ref(add_rows), reading_);
}

void ParallelPasses::forward_drafted(std::span<const DraftedRow> rows) {
  const int held = cache_->held();
  pairs_.resize(std::max(pairs_.size(), 2 * width_ * rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<float> pair = std::span(pairs_).subspan(2 * width_ * i, 2 * width_);
    const std::span<const float> own = own_state(rows[i].parent);
    std::copy(own.begin(), own.end(), pair.begin());
    engine_->embed(rows[i].token, pair.subspan(width_));
  }
  pass_.rows.clear();
  for (std::size_t i = 0; i < rows.size(); ++i)
    pass_.rows.push_back({.parent = held == 0 ? engine::Row::kCommitted
                                              : engine::Row::held(first_held_ + rows[i].parent),
                          .wants_logits = true,
                          .state = pairs_.data() + 2 * width_ * i});
  engine_->forward(pass_);
  state_ahead_.clear();
  first_held_ = held;
  cache_->hold();
}

/// The drafter's own state at a row that was forwarded last: as of DraftedRow.
std::span<const float> ParallelPasses::own_state(int row) const {
  if (!state_ahead_.empty()) return state_ahead_;
  const int last = static_cast<int>(pass_.rows.size()) - 1;
  return pass_.observed.state(engine::kFinalNorm, cache_->held() == 0 ? last : row);
}

void ParallelPasses::forward_ahead(const std::function<void(DraftReader::DraftAhead&)>& draft) {
  const std::span<const float> own = own_state(0);
  if (state_ahead_.empty()) state_ahead_.assign(own.begin(), own.end());
  const int held = cache_->held();
  const engine::RowBefore before = {.row = 0, .parent = engine::Row::held(held - 1)};
  DraftReader::DraftAhead ahead = {.cache = *cache_,
                                   .logits = pass_.logits,
                                   .before = {&before, 1},
                                   .form = {},
                                   .rows = {},
                                   .state = state_ahead_};
  draft(ahead);
  cache_->hold();
  first_held_ = cache_->held() - 1;
}

/// The next one of the pass. @param state  the first that no row has read
void ParallelPasses::add_real_row(std::span<const Token> text, const float* state) {
  const std::size_t row = pass_.rows.size();
  const std::size_t slot = static_cast<std::size_t>(slots()) + row;
  if (reads_pairs(*model_)) {
    const std::span<float> pair = std::span(pairs_).subspan(2 * width_ * row, 2 * width_);
    std::copy_n(state, width_, pair.begin());
    engine_->embed(text[slot + 1], pair.subspan(width_));
    add({.state = pair.data()});
  } else if (model_->token_inputs) {
    add({.token = text[slot]});
  } else {
    add({.state = state});
  }
}

void ParallelPasses::add_masks(int masks) {
  // Over states the last real row repeats the text's last token.
  pass_.rows.back().wants_logits = model_->token_inputs;
  const bool pairs = reads_pairs(*model_);
  const float* state = pairs ? mask_pairs_.data() : model_->mask_embeddings.data();
  for (int i = 0; i < masks; ++i, state += pairs ? 2 * width_ : width_)
    add({.wants_logits = true, .state = state});
}

/// Adds a row whose parent is the row before it.
void ParallelPasses::add(engine::Row row) {
  row.parent = static_cast<int>(pass_.rows.size()) - 1;
  pass_.rows.push_back(row);
}

}  // namespace outrider::draft
