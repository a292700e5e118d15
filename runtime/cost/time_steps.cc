#include "runtime/cost/time_steps.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/draft/stop/stop_policy.h"
#include "runtime/sampling/chooser.h"

namespace outrider::cost {
namespace {

/// The choice of a drafted token, and its log-probability.
class Choosing {
 public:
  Choosing(const engine::Engine& target, const DraftModel& draft)
      : bounds_(kSeed, target.config().vocab), chooser_(chooser_of(target, draft)) {
    const model::ModelConfig& config = draft.engine->config();
    if (config.state_inputs > 0) width_ = static_cast<std::size_t>(config.width);
  }

  /// Whether chains are drafted at once.
  bool drafts_chains() const { return chooser_->drafts_ahead(); }
  /// Drafts a chain that begins after a row of a pass.
  void draft_chain(engine::KvCache& cache, const engine::LogitsRow& row, int position, int tokens) {
    std::vector<sampling::DraftQuestion> questions(static_cast<std::size_t>(tokens));
    for (int i = 0; i < tokens; ++i)
      questions[static_cast<std::size_t>(i)] = {.row = row.row, .position = position + i};
    std::vector<sampling::DraftAnswer> answers(questions.size());
    std::vector<engine::RowAhead> rows(questions.size() - 1);
    const std::vector<float> state(width_, 0.5F);
    std::vector<float> states(rows.size() * width_);
    const engine::RowBefore before = {.row = row.row,
                                      .parent = engine::Row::held(cache.held() - 1)};
    chooser_->answer_ahead({.cache = cache,
                            .logits = *row.of,
                            .before = {&before, 1},
                            .form = {.levels = tokens - 1},
                            .rows = rows,
                            .states = {.before = state, .after = states}},
                           {options_, kSeed, counts_}, questions, answers);
  }
  void choose(const engine::LogitsRow& row, int position) {
    const sampling::DraftQuestion question = {.row = row.row, .position = position};
    chooser_->answer(*row.of, {options_, kSeed, counts_, &bounds_}, {&question, 1}, {&answer_, 1});
  }

 private:
  static constexpr std::uint64_t kSeed = 1;
  static std::unique_ptr<sampling::Chooser> chooser_of(const engine::Engine& target,
                                                       const DraftModel& draft) {
    sampling::HeadVocabulary vocabulary(draft.head_tokens, draft.engine->config().vocab,
                                        target.config().vocab);
    return sampling::make_draft_chooser(*draft.engine, std::move(vocabulary), 0, draft.passes > 1);
  }

  sampling::SamplerOptions options_ = {.temperature = 1};
  sampling::TokenCounts counts_{{}};
  sampling::NoiseBounds bounds_;
  std::unique_ptr<sampling::Chooser> chooser_;
  sampling::DraftAnswer answer_;
  std::size_t width_ = 0;  // of the states that EAGLE reads
};

/// Passes of a model that drafts.
class DraftPasses {
 public:
  DraftPasses(const DraftModel& draft, int rows) : heads_(draft.heads), rows_(rows) {
    if (!heads_) {
      timer_.emplace(*draft.engine);
      return;
    }
    rows_ = std::min(rows, heads_->heads());
    state_.assign(static_cast<std::size_t>(draft.engine->config().width), 0.5F);
  }

  void run(int context) {
    if (heads_)
      heads_->forward(state_, rows_);
    else
      timer_->seconds(context, rows_);
  }
  engine::LogitsRow logits() const { return heads_ ? heads_->logits(0) : timer_->logits(); }
  /// After `run`, of a model without heads: as PassTimer.
  template <typename Draft>
  void go_on(const Draft& draft) {
    timer_->go_on(draft);
  }

 private:
  std::shared_ptr<draft::MedusaHeadsPasses> heads_;
  int rows_;
  std::optional<PassTimer> timer_;
  std::vector<float> state_;  // that heads read
};

}  // namespace

StepTimes time_steps(engine::Engine& target, const DraftModel& draft, int context, int rounds,
                     int rows) {
  PassTimer of_target(target);
  DraftPasses of_draft(draft, rows);
  Choosing choosing(target, draft);
  of_target.seconds(context, 1);  // fills the caches
  of_draft.run(context);
  const bool at_once = rows == 1 && choosing.drafts_chains();
  const int steps = at_once ? draft::StopPolicy::kAtOnce : draft.passes;
  std::vector<double> target_seconds, draft_seconds;
  for (int round = 0; round < rounds; ++round) {
    target_seconds.push_back(of_target.seconds(context, 1));
    const Stopwatch watch;
    for (int step = 0; step < steps; ++step) {
      of_draft.run(context);
      if (at_once) {
        of_draft.go_on([&](engine::KvCache& cache, const engine::LogitsRow& row) {
          choosing.draft_chain(cache, row, context + round, steps);
        });
        break;
      }
      for (int row = 0; row < std::min(rows, draft.most_choices); ++row)
        // The position advances by one a round, so that some bounds on the noise are known, as in decoding.
        choosing.choose(of_draft.logits(), context + round + step + row);
    }
    draft_seconds.push_back(watch.seconds() / steps);
  }
  return {spread_of(std::move(draft_seconds)), spread_of(std::move(target_seconds))};
}

}  // namespace outrider::cost
