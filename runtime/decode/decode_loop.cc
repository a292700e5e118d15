#include "runtime/decode/decode_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/stopwatch.h"
#include "runtime/decode/draft_limits.h"
#include "runtime/decode/verify.h"
#include "runtime/engine/forward_text.h"

namespace outrider::decode {
const char* finish_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kContext:
      return "context";
    case FinishReason::kInterrupted:
      return "interrupted";
  }
  throw std::logic_error("finish_name: no such reason");
}

/// One call of decode. What grows with the text is given its room at once: plain steps allocate nothing.
struct Decoder::Run {
  std::vector<Token> tokens;  // the whole text; the last one is not forwarded yet
  sampling::Sampler& sampler;
  draft::Drafter* drafter;
  const DecodeLimits& limits;
  const OnToken& on_token;
  sampling::TokenCounts counts;
  DecodeResult result;
  Stopwatch since_first_token = {};
  double draft_seconds = 0;
  bool finished = false;

  int max_new() const {
    const int given = static_cast<int>(limits.given.size());
    return given == 0 ? limits.max_new : std::min(limits.max_new, given);
  }
  void reserve(int context) {
    const std::size_t before = tokens.size();
    const std::size_t most =
        std::min(static_cast<std::size_t>(max_new()), static_cast<std::size_t>(context) - before);
    tokens.reserve(before + most);
    result.tokens.reserve(most);
    result.stats.by_pass.reserve(most);
  }
  /// Adds what passed since the last lap; what comes after the last token does not count.
  void add_lap(double& seconds) {
    const double lap = since_first_token.lap();
    if (!finished) seconds += lap;
  }
  DecodeResult take_result() {
    if (drafter != nullptr) result.stats.draft_seconds = drafter->divide(draft_seconds);
    result.tokens.shrink_to_fit();
    result.stats.by_pass.shrink_to_fit();
    return std::move(result);
  }
  void finish(FinishReason reason) {
    result.finish = reason;
    finished = true;
  }
  bool check_interrupt() {
    if (limits.interrupted && limits.interrupted()) finish(FinishReason::kInterrupted);
    return finished;
  }
};

Decoder::Decoder(engine::Engine& target, int context)
    : target_(&target),
      context_(context),
      cache_(target.make_cache(context + kSpareRows)),
      tree_(0) {
  pass_.sequences = {cache_.get()};
}

DecodeResult Decoder::decode(std::span<const Token> text, sampling::Sampler& sampler,
                             draft::Drafter* drafter, const DecodeLimits& limits,
                             const OnToken& on_token) {
  if (text.empty()) throw InputError("the prompt is empty: expected at least one token");
  if (static_cast<int>(text.size()) >= context_)
    throw InputError(
        fmt::format("the prompt has {} tokens, which leaves no room in a context of {}",
                    text.size(), context_));
  Run run{{text.begin(), text.end()},
          sampler,
          drafter,
          limits,
          on_token,
          sampling::TokenCounts(sampler.options().uses_counts() ? text : text.first(0)),
          {},
          {}};
  run.reserve(context_);
  forwarded_.reserve(run.tokens.capacity());
  wanted_ = drafter == nullptr ? engine::TapRequest() : drafter->wants();
  prefill(run);
  while (!run.finished && !run.check_interrupt()) step(run);
  return run.take_result();
}

void Decoder::prefill(Run& run) {
  const Stopwatch watch;
  const auto [mine, theirs] =
      std::mismatch(forwarded_.begin(), forwarded_.end(), run.tokens.begin(), run.tokens.end() - 1);
  forwarded_.erase(mine, forwarded_.end());
  if (run.drafter != nullptr) {
    const int kept = static_cast<int>(forwarded_.size());
    forwarded_.resize(static_cast<std::size_t>(run.drafter->start(run.tokens, kept)));
  }
  cache_->truncate(static_cast<int>(forwarded_.size()));

  const engine::TextOptions reading = {.rows = run.limits.prefill_chunk,
                                       .request = wanted_.before_last_row(),
                                       .at_end = wanted_,
                                       .logits_from = static_cast<int>(run.tokens.size()) - 1,
                                       .go_on = [&run] { return !run.check_interrupt(); }};
  const auto left = std::span(run.tokens).subspan(forwarded_.size());
  std::vector<int> rows;
  const bool all =
      engine::forward_text(*target_, *cache_, pass_, left, reading, [&](const engine::Pass&, int) {
        rows.resize(pass_.rows.size());
        std::iota(rows.begin(), rows.end(), 0);
        run.result.stats.prefilled_rows += static_cast<int>(rows.size());
        note_forwarded(rows);
        if (!pass_.request.empty()) run.drafter->observe(pass_, rows);
      });
  if (!all) return;
  pass_.request = wanted_;
  const Token first = choose(run, 0);
  run.result.stats.prefill_seconds = watch.seconds();
  run.since_first_token = Stopwatch();
  emit(run, first, {});
}

void Decoder::step(Run& run) {
  DecodeStats& stats = run.result.stats;
  run.since_first_token.lap();
  const int left = run.max_new() - static_cast<int>(run.result.tokens.size());
  const draft::DraftLimits limits =
      draft_limits(left, static_cast<int>(run.tokens.size()), context_);
  make_draft(run.drafter, {run.tokens, run.sampler.sampling(run.counts)}, limits, tree_);
  run.add_lap(run.draft_seconds);

  pass_.rows.clear();
  for (int node = 0; node < tree_.size(); ++node) {
    const int parent = node == 0 ? engine::Row::kCommitted : tree_.parent(node);
    pass_.rows.push_back({tree_.token(node), 0, parent, true});
  }
  target_->forward(pass_);
  run.add_lap(stats.verify_seconds);

  const Verdict verdict = verify(
      tree_, walk_,
      [this, &run](int node) {
        run.since_first_token.lap();
        const Token choice = choose(run, node);
        run.add_lap(run.result.stats.sample_seconds);
        return choice;
      },
      [this, &run](Token choice, const draft::Origin& origin) {
        return emit(run, choice, origin);
      });
  ++stats.passes;
  stats.drafted += tree_.num_drafted();
  stats.accepted += verdict.accepted();
  stats.by_pass.push_back({tree_.num_drafted(), verdict.accepted()});
  if (!tree_.drafts().empty()) stats.rows.add(tree_, verdict.path);

  cache_->commit(verdict.kept);
  note_forwarded(verdict.kept);
  if (run.drafter == nullptr) return;
  run.since_first_token.lap();
  if (!pass_.request.empty()) run.drafter->observe(pass_, verdict.kept);
  run.drafter->verified(verdict.kept.subspan(1), verdict.next);
  run.add_lap(run.draft_seconds);
}

void Decoder::note_forwarded(std::span<const int> rows) {
  for (const int row : rows) forwarded_.push_back(pass_.rows[static_cast<std::size_t>(row)].token);
}

Token Decoder::choose(Run& run, int row) const {
  const std::size_t made = run.result.tokens.size();
  if (!run.limits.given.empty()) return run.limits.given[made];
  return run.sampler.choose(pass_.row_logits(row), static_cast<std::int64_t>(run.tokens.size()),
                            run.counts);
}

bool Decoder::emit(Run& run, Token token, const draft::Origin& origin) {
  run.tokens.push_back(token);
  if (run.sampler.options().uses_counts()) run.counts.add(token);
  run.result.tokens.push_back(token);
  run.result.stats.decode_seconds = run.since_first_token.seconds();
  const std::vector<Token>& ends = run.limits.end_tokens;
  const bool wished_on = !run.on_token || run.on_token(token, origin);
  if (std::find(ends.begin(), ends.end(), token) != ends.end() || !wished_on) {
    run.finish(FinishReason::kStop);
  } else if (static_cast<int>(run.result.tokens.size()) >= run.max_new()) {
    run.finish(FinishReason::kLength);
  } else if (static_cast<int>(run.tokens.size()) >= context_) {
    run.finish(FinishReason::kContext);
  }
  return !run.finished;
}

}  // namespace outrider::decode
