#include "runtime/draft/model/model_drafter.h"

#include <algorithm>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {

ModelDrafter::ModelDrafter(std::shared_ptr<engine::Engine> engine, std::unique_ptr<StopPolicy> stop,
                           ModelDrafterOptions options)
    : options_(std::move(options)),
      engine_(std::move(engine)),
      stop_(std::move(stop)),
      passes_(engine_),
      vocabulary_(options_.head_tokens, engine_->config().vocab, options_.target_vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), engine_->score_kernels()),
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
  std::span<const float> logits = read(context);
  counts_.follow(context);
  drawn_.restart();
  if (stop_->needs_text()) text_.assign(context.committed.begin(), context.committed.end());
  ++rounds_;
  int node = 0;
  for (;;) {
    const auto [token, lead] = draw(context, logits);
    const float log_q = probability_.log_of(logits, vocabulary_.row_of(token));
    node = tree.add(node, token, {.source = Source::kModel, .log_q = log_q});
    ++drafted_;
    if (drafted_ == most) {
      if (most < whole) tree.note_cut();
      stopped_by_policy_ += most == wanted;
      stopped_by_length_ += most == options_.longest && most != wanted;
      break;
    }
    if (stop_->stops(
            {drafted_, log_q, tokens - prompt_ + drafted_ - 1, lead, logits, token, text_})) {
      ++stopped_by_policy_;
      break;
    }
    if (stop_->needs_text()) text_.push_back(token);
    if (context.sampling.options.uses_counts()) counts_.counts.add(token);
    logits = passes_.extend(token).first(vocabulary_.size());
    ++num_passes_;
  }
  drawn_.note_in(tree);
  if (!context.sampling.options.uses_counts()) return;
  for (node = tree.parent(node); node != 0; node = tree.parent(node))
    counts_.counts.remove(tree.token(node));
}

/// The logits after the text.
std::span<const float> ModelDrafter::read(const DraftContext& context) {
  const Stopwatch watch;
  const int before = passes_.length();
  const auto seen = context.committed.subspan(static_cast<std::size_t>(unseen_));
  const std::span<const float> logits = passes_.read(seen).first(vocabulary_.size());
  if (rounds_ == 0) {
    prefilled_ = static_cast<std::int64_t>(seen.size()) - before;
    prefill_seconds_ = watch.seconds();
  } else {
    ++num_passes_;
  }
  return logits;
}

/// The next token of the chain, with its lead where the policy looks at it.
sampling::ChosenToken ModelDrafter::draw(const DraftContext& context,
                                         std::span<const float> logits) {
  const sampling::SequenceSampling sampling = context.sampling.with(counts_.counts);
  const auto position = static_cast<std::int64_t>(context.committed.size()) + drafted_;
  if (!drawn_.draws(sampling.options)) {
    if (stop_->needs_lead()) return choice_.choose_with_lead(sampling, logits, position);
    return {choice_.choose(sampling, logits, position), 0};
  }
  drawn_.draw(choice_, sampling, logits, {.node = drafted_, .children = 1, .position = position},
              drawn_now_);
  return {drawn_now_.front().token, 0};
}

void ModelDrafter::verified(std::span<const int> accepted, Token /*next*/) {
  if (drafted_ == 0) return;
  const int kept = static_cast<int>(accepted.size());
  passes_.keep(kept);
  stop_->verified(drafted_, kept);
}

}  // namespace outrider::draft
