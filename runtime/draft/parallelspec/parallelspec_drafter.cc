#include "runtime/draft/parallelspec/parallelspec_drafter.h"

#include <algorithm>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

/// Rows that are forwarded in a round after the text's, at most.
/// @param ahead  whether some are drafted ahead, and may be drafted in vain
int more_rows(const ParallelSpecModel& model, const LevelShape& shape, bool ahead) {
  if (!model.drafts_one_by_one()) return model.more_rows(shape.length);
  int rows = ahead ? engine::AheadReader::kMostRows : 0;
  for (int depth = 0; depth + 1 < shape.length; ++depth) rows += shape.most_of_depth(depth);
  return rows;
}

std::span<const Token> first(const HeldText& text, int tokens) {
  const auto count = static_cast<std::size_t>(std::min(tokens, text.length()));
  return text.tokens().first(count);
}

}  // namespace

ParallelSpecDrafter::ParallelSpecDrafter(std::shared_ptr<const ParallelSpecModel> model,
                                         const std::shared_ptr<engine::Engine>& engine,
                                         const ParallelSpecDrafterOptions& options)
    : model_(std::move(model)),
      drafts_(*model_, options, DepthDrafts::make_chooser(*engine, *model_, options)),
      passes_(model_, engine,
              more_rows(*model_, drafts_.options().shape(), drafts_.drafts_ahead())) {
  const bool one_by_one = model_->drafts_one_by_one();
  logits_.of = [this, one_by_one](int depth, int i) {
    return passes_.logits(one_by_one ? i : depth);
  };
  logits_.forward = [this](const auto& rows) { passes_.forward_drafted(rows); };
  logits_.ahead = [this](const auto& form, const auto& before, const auto& draft) {
    passes_.forward_ahead(form, before, draft);
  };
  logits_.room = [this] { return passes_.room(); };
  // The states of an accepted round, and of its root.
  const int states = model_->reads_states() ? drafts_.options().length + 1 : 0;
  states_.reserve(static_cast<std::size_t>(states) * width());
}

std::string ParallelSpecDrafter::name() const { return method_of(model_->flavour); }

DrafterReport ParallelSpecDrafter::report(double seconds) const {
  const double prefill = std::min(prefill_seconds_, seconds);
  return {{{name(), seconds - prefill}, {name() + "-prefill", prefill}},
          {{"rounds", rounds_},
           {"rows", rows_},
           {"stopped_by_threshold", drafts_.stopped_by_threshold()},
           {"prefilled_tokens", prefilled_}}};
}

void ParallelSpecDrafter::take_over(const Drafter& like, int tokens) {
  const auto& same = static_cast<const ParallelSpecDrafter&>(like);
  if (same.model_ != model_) return;
  const std::span<const Token> read = first(same.held_, tokens);
  const std::span<const Token> observed = first(same.observed_, tokens);
  const int slots = same.passes_.slots_shared(static_cast<int>(read.size()));
  const bool goes_on = slots == same.passes_.slots();
  const int known = goes_on ? static_cast<int>(observed.size()) : slots;
  if (known <= observed_.length()) return;
  held_.hold(read);
  observed_.hold(observed);
  passes_.copy_first(same.passes_, slots);
  states_.assign(same.states_.begin(),
                 same.states_.begin() + static_cast<std::ptrdiff_t>(
                                            static_cast<std::size_t>(known - slots) * width()));
}

int ParallelSpecDrafter::begin(const TextStart& from) {
  const std::span<const Token> text = from.text;
  int kept = from.kept;
  int slots = passes_.slots_shared(held_.keep_prefix(text));
  if (observes()) {
    // States that wait to be read stay only where they follow directly on the rows in the cache that stay; otherwise their
    // rows are observed again. The cache ends before a row whose state was not handed out yet.
    kept = std::min(kept, observed_.keep_prefix(text));
    slots = std::min(slots, kept);
    if (slots < passes_.slots()) kept = slots;
    states_.resize(static_cast<std::size_t>(kept - slots) * width());
    observed_.keep_first(kept);
    // Those of a whole prompt wait for the first draft.
    if (!text.empty()) states_.reserve((text.size() - static_cast<std::size_t>(slots)) * width());
  }
  passes_.keep(slots);
  prefill_seconds_ = 0;
  prefilled_ = rounds_ = rows_ = 0;
  drafts_.forget_counts();
  return kept;
}

std::int64_t ParallelSpecDrafter::text_bytes(int tokens) const {
  const std::size_t states =
      std::max(observes() ? static_cast<std::size_t>(tokens) * width() : 0, states_.capacity());
  return passes_.bytes(tokens) + static_cast<std::int64_t>(states * sizeof(float));
}

DrafterTraits ParallelSpecDrafter::traits() const {
  DrafterTraits traits = drafts_.traits();
  if (observes()) traits.wants.layers = {engine::kFinalNorm};
  return traits;
}

void ParallelSpecDrafter::observe(const engine::Pass& pass, const ObservedRows& rows) {
  for (const int row : rows.kept) {
    const std::span<const float> state = pass.observed.state(engine::kFinalNorm, row);
    states_.insert(states_.end(), state.begin(), state.end());
    observed_.append(pass.rows[static_cast<std::size_t>(row)].token);
  }
}

void ParallelSpecDrafter::fill(const DraftContext& context, TokenTree& tree) {
  const DraftLimits& limits = tree.limits();
  const int most = drafts_.most_of(limits);
  const int tokens = static_cast<int>(context.committed.size());
  // The first token of a text may have no row.
  if (most < 1 || tokens > passes_.context() || passes_.slots_of(tokens) < 1) return;
  // Room for the whole answer at once: steps allocate nothing.
  const int longest =
      std::min(tokens + std::min(limits.depth, passes_.context()), passes_.context());
  passes_.reserve(longest);
  held_.reserve(longest);
  observed_.reserve(longest);
  read(context.committed, most);
  ++rounds_;
  drafts_.run(context, most, logits_, tree);
}

/// Forwards what of the text the drafter has not read, and masks for so many depths.
void ParallelSpecDrafter::read(std::span<const Token> text, int depths) {
  const Stopwatch watch;
  const int before = passes_.slots();
  passes_.forward(text, states_, model_->drafts_one_by_one() ? 0 : model_->more_rows(depths));
  states_.clear();
  held_.hold(text);
  const int rows = passes_.slots() - before;
  if (rounds_ > 0) {
    rows_ += rows;
    return;
  }
  prefilled_ = rows;
  prefill_seconds_ = watch.seconds();
}

}  // namespace outrider::draft
