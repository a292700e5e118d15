#include "runtime/decode/decode_loop.h"

#include <numeric>
#include <utility>

#include "runtime/decode/draft_limits.h"
#include "runtime/decode/verify.h"
#include "runtime/engine/forward_text.h"

namespace outrider::decode {

Decoder::Decoder(engine::Engine& target, int context)
    : target_(&target),
      context_(context),
      chooser_(sampling::make_chooser(target)),
      sequence_(target.make_cache(context + kSpareRows), context),
      tree_(0) {
  rows_.reserve(draft::kMostDrafts, kSpareRows);
}

DecodeResult Decoder::decode(std::span<const Token> text, sampling::Sampler sampler,
                             draft::Drafter* drafter, const DecodeLimits& limits,
                             const OnToken& on_token) {
  sequence_.begin(text, std::move(sampler), limits);
  by_drafter_.clear();
  rows_.clear();
  Run run{drafter, limits, on_token};
  prefill(run);
  while (!sequence_.finished() && !interrupted(run)) step(run);
  return result(run);
}

/// Forwards the tokens of the text that the cache does not hold, and takes the first token.
void Decoder::prefill(Run& run) {
  const Stopwatch watch;
  wanted_ = run.drafter == nullptr ? engine::TapRequest() : run.drafter->wants();
  if (run.drafter != nullptr) {
    sequence_.cache().truncate(run.drafter->start(sequence_.text(), sequence_.held()));
    run.drafter->reserve(sequence_.prompt() + sequence_.left());
  }
  const std::span<const Token> text = sequence_.text();
  const engine::TextOptions reading = {.rows = run.limits.prefill_chunk,
                                       .request = wanted_.before_last_row(),
                                       .at_end = wanted_,
                                       .logits_from = sequence_.prompt() - 1,
                                       .go_on = [&] { return !interrupted(run); }};
  std::vector<int> rows;
  const bool is_read = engine::forward_text(
      *target_, sequence_.cache(), pass_, text.subspan(static_cast<std::size_t>(sequence_.held())),
      reading, [&](const engine::Pass& pass, int) {
        rows.resize(pass.rows.size());
        std::iota(rows.begin(), rows.end(), 0);
        run.stats.prefilled_rows += static_cast<int>(rows.size());
        if (!pass.request.empty()) run.drafter->observe(pass, rows);
      });
  if (!is_read) return;
  pass_.request = wanted_;
  const Token first = chosen_after(0);
  if (run.limits.on_row) run.limits.on_row(pass_.logits, 0);
  run.stats.by_pass.reserve(static_cast<std::size_t>(sequence_.left()));
  run.stats.prefill_seconds = watch.seconds();
  run.since_first_token = Stopwatch();
  take(run, first, {});
}

void Decoder::step(Run& run) {
  DecodeStats& stats = run.stats;
  run.other_seconds = 0;
  end_lap(run, run.other_seconds);
  const std::span<const Token> text = sequence_.text();
  const auto limits = draft_limits(sequence_.left(), static_cast<int>(text.size()), context_);
  make_draft(run.drafter, {text, sequence_.sampling()}, limits, tree_);
  end_lap(run, run.draft_seconds);

  const double verified_before = stats.verify_seconds, sampled_before = stats.sample_seconds;
  put_rows(tree_, pass_);
  target_->forward(pass_);
  end_lap(run, stats.verify_seconds);

  const VerifiedDraft verified = verify(
      tree_, walk_,
      [this, &run](int node) {
        end_lap(run, run.other_seconds);
        const Token choice = choose(run, node);
        if (run.limits.on_row) run.limits.on_row(pass_.logits, node);
        end_lap(run, run.stats.sample_seconds);
        return choice;
      },
      [this, &run](Token choice, const draft::Origin& origin) {
        return take(run, choice, origin);
      });
  ++stats.passes;
  stats.drafted += tree_.num_drafted();
  stats.accepted += verified.accepted();
  stats.by_pass.push_back({tree_.num_drafted(), verified.accepted()});
  if (!tree_.drafts().empty()) rows_.add(tree_, verified.path);

  sequence_.cache().commit(verified.kept);
  end_lap(run, run.other_seconds);
  by_drafter_.add(tree_, verified.path, stats.verify_seconds - verified_before,
                  stats.sample_seconds - sampled_before, run.other_seconds);
  if (run.drafter == nullptr) return;
  run.since_first_token.lap();
  if (run.drafter->wants_rejected()) {
    rejected_nodes(tree_, verified.kept, rejected_);
    run.drafter->observe_rejected(pass_, rejected_);
  }
  if (!pass_.request.empty()) run.drafter->observe(pass_, verified.kept);
  run.drafter->verified(verified.kept.subspan(1), verified.next);
  end_lap(run, run.draft_seconds);
}

/// The token after a row: of the given answer, or the target's own choice.
Token Decoder::chosen_after(int row) {
  const int position = static_cast<int>(sequence_.text().size());
  if (const std::optional<Token> given = sequence_.given(position)) return *given;
  return chooser_->choose(pass_.logits, row, sequence_.sampling(), position);
}

/// The token after a node's row, as its drafter wants drafts verified.
Token Decoder::choose(const Run& run, int node) {
  const bool coupled =
      run.drafter == nullptr || run.drafter->verification() == draft::Verification::kCoupled;
  const bool certain = sequence_.sampling().options.temperature == 0;
  if (coupled || certain || !run.limits.given.empty()) return chosen_after(node);
  if (!rejection_) rejection_.emplace(target_->config().vocab);
  return rejection_->choose(sequence_.sampling(), pass_.logits.row(node),
                            static_cast<std::int64_t>(sequence_.text().size()), tree_, node,
                            *run.drafter);
}

bool Decoder::take(Run& run, Token token, const draft::Origin& origin) {
  sequence_.take(token);
  run.stats.decode_seconds = run.since_first_token.seconds();
  if (run.on_token && !run.on_token(token, origin)) sequence_.finish(FinishReason::kStop);
  return !sequence_.finished();
}

bool Decoder::interrupted(const Run& run) {
  const bool is_interrupted = run.limits.interrupted && run.limits.interrupted();
  if (is_interrupted) sequence_.finish(FinishReason::kInterrupted);
  return is_interrupted;
}

/// Adds the time since the last lap; what comes after the last token does not count.
void Decoder::end_lap(Run& run, double& seconds) {
  const double lap = run.since_first_token.lap();
  if (!sequence_.finished()) seconds += lap;
}

DecodeResult Decoder::result(Run& run) {
  if (run.drafter != nullptr) {
    run.stats.draft_seconds = run.drafter->divide(run.draft_seconds);
    run.stats.draft_counts = run.drafter->counts();
  }
  run.stats.by_drafter = by_drafter_.results();
  run.stats.rows = rows_;
  run.stats.by_pass.shrink_to_fit();
  const std::span<const Token> answer = sequence_.answer();
  return {{answer.begin(), answer.end()}, sequence_.finish_reason(), std::move(run.stats)};
}

}  // namespace outrider::decode
