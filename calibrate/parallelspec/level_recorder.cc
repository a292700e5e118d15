#include "calibrate/parallelspec/level_recorder.h"

#include <cstdint>
#include <limits>
#include <utility>

namespace outrider::calibrate {

LevelRecorder::LevelRecorder(std::shared_ptr<const draft::ParallelSpecModel> model,
                             const std::shared_ptr<engine::Engine>& engine,
                             const std::shared_ptr<engine::Engine>& residual, int depths,
                             int children, draft::PairWeights pair_weights)
    : model_(std::move(model)),
      depths_(depths),
      children_(model_->drafts_one_by_one() ? 1 : children),
      pair_weights_(model_->drafts_one_by_one() ? draft::PairWeights{} : std::move(pair_weights)),
      chooser_(sampling::make_draft_chooser(
          *engine,
          {model_->layer.head_tokens, model_->layer.config.vocab, model_->layer.config.vocab})) {
  if (model_->has_heads())
    heads_.emplace(model_, residual, engine);
  else
    passes_.emplace(model_, engine, model_->more_rows(depths));
}

std::size_t LevelRecorder::last_position() const {
  return passes_ ? static_cast<std::size_t>(passes_->context())
                 : std::numeric_limits<std::int32_t>::max();
}

draft::DrafterTraits LevelRecorder::traits() const {
  if (!model_->reads_states()) return {};
  return {.wants = {.layers = {engine::kFinalNorm}}};
}

void LevelRecorder::observe(const engine::Pass& pass, const draft::ObservedRows& rows) {
  for (const int row : rows.kept) {
    const std::span<const float> state = pass.observed.state(engine::kFinalNorm, row);
    states_.insert(states_.end(), state.begin(), state.end());
  }
}

RecordedLevels LevelRecorder::record(const Stretch& stretch, Observations& observations) {
  const Answer& answer = *stretch.answer;
  RecordedLevels recorded = empty_record(stretch);
  observations.begin(answer, traits().wants);
  if (passes_) passes_->keep(0);
  states_.clear();
  for (std::size_t position = stretch.first; position < stretch.end; ++position) {
    observations.show(position - 1, *this);  // all tokens but the last have a state
    const sampling::TokenCounts counts = counts_before(answer, position);
    record_one(
        {std::span(answer.tokens).first(position), {answer.sampler, answer.sequence_seed, counts}},
        recorded.levels);
  }
  return recorded;
}

void LevelRecorder::record_one(const draft::DraftContext& context,
                               std::vector<draft::RankedDepth>& levels) {
  const bool one_by_one = model_->drafts_one_by_one();
  read(context.committed);
  for (int depth = 0; depth < depths_; ++depth) {
    const engine::LogitsRow row = logits(depth, levels);
    const sampling::DraftQuestion question = {
        .row = row.row,
        .position = static_cast<std::int64_t>(context.committed.size()) + depth,
        .choice = sampling::DraftQuestion::Choice::kUnnormalised,
        .most = one_by_one ? 1 : draft::shortlist_length(children_),
        .reach = draft::kShortlistReach};
    chooser_->answer(*row.of, context.sampling, {&question, 1}, {&ranked_, 1});
    draft::RankedDepth& level = levels.emplace_back();
    level.log_best = static_cast<double>(ranked_.softmax.of(ranked_.softmax.largest));
    level.tokens = ranked_.ranked;
  }
}

void LevelRecorder::read(std::span<const Token> text) {
  const bool one_by_one = model_->drafts_one_by_one();
  if (heads_)
    heads_->forward(std::span(states_).last(static_cast<std::size_t>(model_->layer.config.width)),
                    depths_);
  else
    passes_->forward(text, states_, one_by_one ? 0 : model_->more_rows(depths_));
  states_.clear();
}

engine::LogitsRow LevelRecorder::logits(int depth, const std::vector<draft::RankedDepth>& levels) {
  if (heads_) return heads_->logits(depth);
  if (!model_->drafts_one_by_one()) return passes_->logits(depth);
  if (depth > 0) {
    const draft::ParallelSpecPasses::DraftedRow first = {levels.back().tokens.front().token,
                                                         passes_->rows() - 1};
    passes_->forward_drafted(std::span(&first, 1));
  }
  return passes_->logits(0);
}

}  // namespace outrider::calibrate
