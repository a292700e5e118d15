#include "runtime/draft/model/model_drafter.h"

#include <algorithm>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

DraftReader reader_of(engine::Engine& engine, const ModelDrafterOptions& options,
                      bool needs_features) {
  DraftVocabulary vocabulary(options.head_tokens, engine.config().vocab, options.target_vocab);
  const int top =
      needs_features ? std::min(RowFeatures::kTop, static_cast<int>(vocabulary.size())) : 0;
  auto elsewhere = DraftReader::make_row_reader(engine, vocabulary, top);
  return {std::move(vocabulary), engine.score_kernels(), top, std::move(elsewhere)};
}

}  // namespace

ModelDrafter::ModelDrafter(std::shared_ptr<engine::Engine> engine, std::unique_ptr<StopPolicy> stop,
                           ModelDrafterOptions options)
    : options_(std::move(options)),
      engine_(std::move(engine)),
      stop_(std::move(stop)),
      passes_(engine_),
      reader_(reader_of(*engine_, options_, stop_->needs_features())),
      features_(engine_->score_kernels()),
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
  is_known_ = false;
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
  if (options_.known_texts != nullptr && !std::exchange(is_known_, true)) {
    const auto prompt = context.committed.first(static_cast<std::size_t>(prompt_));
    stop_->set_agreement(options_.known_texts->take(prompt, context.sampling.seed));
  }
  const DraftLimits& limits = tree.limits();
  const int wanted = stop_->most(tokens - prompt_);
  // Token i of the chain follows a row at position tokens + i - 2.
  const int whole = std::min(
      {options_.longest, wanted, limits.depth, passes_.context() - (tokens - unseen_) + 1});
  const int most = std::min(whole, limits.nodes);
  if (most < 1) return;
  passes_.reserve(tokens - unseen_ + std::min(limits.depth, passes_.context()));
  engine::LogitsRow row = read(context);
  counts_.follow(context);
  drawn_.restart();
  if (stop_->needs_text()) text_.assign(context.committed.begin(), context.committed.end());
  ++rounds_;
  int node = 0;
  for (;;) {
    DraftedToken drawn = draw(context, row);
    const Token token = drawn.token;
    node = tree.add(node, token, {.source = Source::kModel, .log_q = drawn.log_q});
    drawn.number = ++drafted_;
    drawn.index = tokens - prompt_ + drafted_ - 1;
    drawn.before = text_;
    if (drafted_ == most) {
      if (most < whole) tree.note_cut();
      stopped_by_policy_ += most == wanted;
      stopped_by_length_ += most == options_.longest && most != wanted;
      break;
    }
    if (stop_->stops(drawn)) {
      ++stopped_by_policy_;
      break;
    }
    if (stop_->needs_text()) text_.push_back(token);
    if (context.sampling.options.uses_counts()) counts_.counts.add(token);
    row = passes_.extend(token);
    ++num_passes_;
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

/// The next token of the chain, with what the policy looks at of its row.
DraftedToken ModelDrafter::draw(const DraftContext& context, const engine::LogitsRow& row) {
  const sampling::SequenceSampling sampling = context.sampling.with(counts_.counts);
  const auto position = static_cast<std::int64_t>(context.committed.size()) + drafted_;
  DraftQuestion question = {
      .row = row.row, .position = position, .wants_best = stop_->needs_features()};
  const bool draws = drawn_.draws(sampling.options);
  if (draws) {
    question.choice = DraftQuestion::Choice::kNone;
    const std::span<const float> logits = reader_.numbers(row);
    drawn_.draw(reader_.choice(), sampling, logits,
                {.node = drafted_, .children = 1, .position = position}, drawn_now_);
    answer_.chosen = {drawn_now_.front().token, 0};
    answer_.logit = logits[reader_.vocabulary().row_of(answer_.chosen.token)];
  } else if (stop_->needs_lead()) {
    question.choice = DraftQuestion::Choice::kTokenAndLead;
  }
  reader_.answer(*row.of, sampling, {&question, 1}, {&answer_, 1});
  DraftedToken drawn = {.log_q = answer_.softmax.of(answer_.logit),
                        .lead = answer_.chosen.lead,
                        .token = answer_.chosen.token};
  if (question.wants_best) drawn.features = features_.of(answer_.sums);
  return drawn;
}

void ModelDrafter::verified(std::span<const int> accepted, Token /*next*/) {
  if (drafted_ == 0) return;
  const int kept = static_cast<int>(accepted.size());
  passes_.keep(kept);
  stop_->verified(drafted_, kept);
}

}  // namespace outrider::draft
