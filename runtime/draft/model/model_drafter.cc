#include "runtime/draft/model/model_drafter.h"

#include <algorithm>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

std::unique_ptr<sampling::Chooser> chooser_of(engine::Engine& engine,
                                              const ModelDrafterOptions& options,
                                              bool needs_features) {
  sampling::HeadVocabulary vocabulary(options.head_tokens, engine.config().vocab,
                                      options.target_vocab);
  return needs_features ? make_feature_chooser(engine, std::move(vocabulary), true)
                        : sampling::make_draft_chooser(engine, std::move(vocabulary), 0, true);
}

}  // namespace

ModelDrafter::ModelDrafter(std::shared_ptr<engine::Engine> engine, std::unique_ptr<StopPolicy> stop,
                           ModelDrafterOptions options)
    : options_(std::move(options)),
      engine_(std::move(engine)),
      stop_(std::move(stop)),
      passes_(engine_),
      chooser_(chooser_of(*engine_, options_, stop_->needs_features())),
      drawn_(options_.verification) {}

DrafterReport ModelDrafter::report(double seconds) const {
  const double prefill = std::min(prefill_seconds_, seconds);
  return {{{name(), seconds - prefill}, {name() + "-prefill", prefill}},
          {{kRounds, rounds_},
           {kPasses, num_passes_},
           {kStoppedByPolicy, stopped_by_policy_},
           {kStoppedByLength, stopped_by_length_},
           {"prefilled_tokens", prefilled_}}};
}

int ModelDrafter::begin(const TextStart& text) {
  begin_reading(text.text);
  stop_->start();
  prompt_ = static_cast<int>(text.text.size());
  drafted_ = 0;
  counts_.start();
  prefill_seconds_ = 0;
  prefilled_ = num_passes_ = rounds_ = stopped_by_policy_ = stopped_by_length_ = 0;
  const int most = text.most + options_.longest;
  counts_.reserve(most);
  if (stop_->needs_text()) text_.reserve(static_cast<std::size_t>(most));
  return text.kept;
}

/// Goes on after what was read before where the text does; else the last tokens are the nearest to what is to
/// be drafted, and reading more of them costs steps that it hardly saves.
void ModelDrafter::begin_reading(std::span<const Token> text) {
  const int tokens = static_cast<int>(text.size());
  const int before = passes_.length();
  if (unseen_ <= tokens) passes_.keep_prefix(text.subspan(static_cast<std::size_t>(unseen_)));
  const bool goes_on = unseen_ <= tokens && before > 0 && passes_.length() == before;
  if (goes_on && tokens - unseen_ - before <= options_.window) return;
  unseen_ = std::max(0, tokens - options_.window);
  passes_.keep_prefix(text.subspan(static_cast<std::size_t>(unseen_)));
}

void ModelDrafter::fill(const DraftContext& context, TokenTree& tree) {
  drafted_ = 0;
  const int tokens = static_cast<int>(context.committed.size());
  if (tokens > options_.most_text) return;
  const DraftLimits& limits = tree.limits();
  // Token i of the chain follows a row at position tokens + i - 2.
  const int whole =
      std::min({options_.longest, limits.depth, passes_.context() - (tokens - unseen_) + 1});
  const int most = std::min(whole, limits.nodes);
  if (most < 1) return;
  passes_.reserve(tokens - unseen_ + std::min(limits.depth, passes_.context()));
  engine::LogitsRow row = read(context);
  counts_.follow(context);
  drawn_.restart();
  if (stop_->needs_text()) text_.assign(context.committed.begin(), context.committed.end());
  ++rounds_;
  int node = 0;
  for (bool ends = false; !ends;) {
    const int pieces = draw(context, row, most - drafted_);
    for (int i = 0; i < pieces && !ends; ++i) {
      DraftedToken drawn = drawn_token(i);
      node = tree.add(node, drawn.token, {.source = Source::kModel, .log_q = drawn.log_q});
      drawn.number = ++drafted_;
      drawn.index = tokens - prompt_ + drafted_ - 1;
      drawn.before = text_;
      ends = drafted_ == most || stop_->stops(drawn);
      if (stop_->needs_text()) text_.push_back(drawn.token);
    }
    if (ends) break;
    if (context.sampling.options.uses_counts()) counts_.counts.add(tree.token(node));
    row = passes_.extend(tree.token(node));
    ++num_passes_;
  }
  if (drafted_ == most) {
    if (most < whole) tree.note_cut();
    stopped_by_length_ += most == options_.longest;
  } else {
    ++stopped_by_policy_;
  }
  drawn_.note_in(tree);
  if (!context.sampling.options.uses_counts()) return;
  for (node = tree.parent(node); node != 0; node = tree.parent(node))
    counts_.counts.remove(tree.token(node));
}

/// The logits after the text.
engine::LogitsRow ModelDrafter::read(const DraftContext& context) {
  const Stopwatch watch;
  const int before = passes_.length();
  const auto seen = context.committed.subspan(static_cast<std::size_t>(unseen_));
  const engine::LogitsRow row = passes_.read(seen);
  if (rounds_ == 0) {
    prefilled_ = static_cast<std::int64_t>(seen.size()) - before;
    prefill_seconds_ = watch.seconds();
  } else {
    ++num_passes_;
  }
  return row;
}

/// Draws the next tokens of the chain, at most so many: one, or as many as are drafted at once. @return how many
int ModelDrafter::draw(const DraftContext& context, const engine::LogitsRow& row, int most) {
  const sampling::SequenceSampling sampling = context.sampling.with(counts_.counts);
  const bool draws = drawn_.draws(sampling.options);
  const bool at_once = chooser_->drafts_ahead() && !draws && !sampling.options.uses_counts();
  const int count = at_once ? std::min({most, stop_->drafted_at_once(), kMostAtOnce}) : 1;
  const auto position = static_cast<std::int64_t>(context.committed.size()) + drafted_;
  sampling::DraftQuestion question = {
      .row = row.row, .position = position, .wants_best = stop_->needs_features()};
  if (draws)
    question.choice = sampling::DraftQuestion::Choice::kNone;
  else if (stop_->needs_lead())
    question.choice = sampling::DraftQuestion::Choice::kTokenAndLead;
  questions_.assign(static_cast<std::size_t>(count), question);
  for (int i = 0; i < count; ++i) questions_[static_cast<std::size_t>(i)].position += i;
  if (answers_.size() < questions_.size()) answers_.resize(questions_.size());
  const std::span<sampling::DraftAnswer> answers = std::span(answers_).first(questions_.size());
  if (count > 1) {
    passes_.extend_by([&](engine::KvCache& cache) -> std::span<const Token> {
      const int before = cache.held() - 1;
      const engine::RowBefore after = {
          .row = row.row,
          .parent = before < 0 ? engine::Row::kCommitted : engine::Row::held(before)};
      rows_ahead_.resize(questions_.size() - 1);
      chooser_->answer_ahead({.cache = cache,
                              .logits = *row.of,
                              .before = {&after, 1},
                              .form = {.levels = count - 1},
                              .rows = rows_ahead_},
                             sampling, questions_, answers);
      forwarded_.clear();
      for (const sampling::DraftAnswer& one : answers.first(answers.size() - 1))
        forwarded_.push_back(one.chosen.token);
      return forwarded_;
    });
    num_passes_ += count - 1;
    return count;
  }
  chooser_->answer(*row.of, sampling, questions_, answers);
  if (draws) {
    drawn_.draw(*chooser_, sampling, row, {.node = drafted_, .children = 1, .position = position},
                drawn_now_);
    answers.front().chosen = {drawn_now_.front().token, 0};
    answers.front().logit = chooser_->logit(row, drawn_now_.front().token);
  }
  return 1;
}

/// The i-th of the tokens drawn last, with what the policy looks at of its row.
DraftedToken ModelDrafter::drawn_token(int i) {
  const sampling::DraftAnswer& answer = answers_[static_cast<std::size_t>(i)];
  DraftedToken drawn = {.log_q = answer.softmax.of(answer.logit),
                        .lead = answer.chosen.lead,
                        .token = answer.chosen.token};
  if (stop_->needs_features()) drawn.features = features_.of(answer.sums);
  return drawn;
}

void ModelDrafter::verified(std::span<const int> accepted, Token /*next*/) {
  if (drafted_ == 0) return;
  const int kept = static_cast<int>(accepted.size());
  passes_.keep(kept);
  stop_->verified(drafted_, kept);
}

}  // namespace outrider::draft
