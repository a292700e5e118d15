#include "runtime/cost/time_steps.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/token_probability.h"

namespace outrider::cost {
namespace {

/// The choice of a drafted token, and its log-probability.
class Choosing {
 public:
  Choosing(const engine::Engine& target, const DraftModel& draft)
      : vocabulary_(draft.head_tokens, draft.engine->config().vocab, target.config().vocab),
        choice_(vocabulary_.choice()),
        bounds_(kSeed, target.config().vocab),
        probability_(static_cast<int>(vocabulary_.size()), draft.engine->score_kernels()) {}

  void choose(std::span<const float> row, int position) {
    const std::span<const float> logits = row.first(vocabulary_.size());
    const Token token = choice_.choose({options_, kSeed, counts_, &bounds_}, logits, position);
    probability_.log_of(logits, vocabulary_.row_of(token));
  }

 private:
  static constexpr std::uint64_t kSeed = 1;

  sampling::SamplerOptions options_ = {.temperature = 1};
  sampling::TokenCounts counts_{{}};
  draft::DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  sampling::NoiseBounds bounds_;
  draft::TokenProbability probability_;
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
  std::span<const float> logits() const { return heads_ ? heads_->logits(0) : timer_->logits(); }

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
  std::vector<double> target_seconds, draft_seconds;
  for (int round = 0; round < rounds; ++round) {
    target_seconds.push_back(of_target.seconds(context, 1));
    const Stopwatch watch;
    for (int step = 0; step < draft.passes; ++step) {
      of_draft.run(context);
      for (int row = 0; row < std::min(rows, draft.most_choices); ++row)
        // The position advances by one a round, so that some bounds on the noise are known, as in decoding.
        choosing.choose(of_draft.logits(), context + round + step + row);
    }
    draft_seconds.push_back(watch.seconds() / draft.passes);
  }
  return {spread_of(std::move(draft_seconds)), spread_of(std::move(target_seconds))};
}

}  // namespace outrider::cost
