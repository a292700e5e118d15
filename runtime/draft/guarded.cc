#include "runtime/draft/guarded.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::draft {

Guarded::Guarded(std::unique_ptr<Drafter> drafter, DraftPrices prices)
    : ForwardingDrafter(std::move(drafter)), prices_(std::move(prices)) {
  if (prices_.passes.empty() || prices_.passes.front().from != 0)
    throw std::logic_error("Guarded: no prices of passes");
}

DrafterReport Guarded::report(double seconds) const {
  DrafterReport report = ForwardingDrafter::report(seconds);
  report.counts.push_back({"paused_rounds", paused_rounds_});
  return report;
}

int Guarded::begin(const TextStart& text) {
  pause_.start();
  paused_rounds_ = 0;
  drafted_ = 0;
  is_asked_ = false;
  return ForwardingDrafter::begin(text);
}

void Guarded::fill(const DraftContext& context, TokenTree& tree) {
  tokens_ = static_cast<int>(context.committed.size());
  is_asked_ = !pause_.is_paused(tokens_);
  paused_rounds_ += !is_asked_;
  if (is_asked_) ForwardingDrafter::fill(context, tree);
  drafted_ = tree.num_drafted();
}

void Guarded::verified(std::span<const int> accepted, Token next) {
  if (!is_asked_) return;
  ForwardingDrafter::verified(accepted, next);
  if (drafted_ == 0) return;
  const int kept = static_cast<int>(accepted.size());
  pause_.add(cost(drafted_), kept, tokens_ + kept + 1);
}

/// The cost of a round beyond a pass over one row, in such passes; more rows than have a price cost in proportion.
double Guarded::cost(int drafted) const {
  const std::vector<double>& seconds = costs_after(prices_.passes, tokens_).seconds;
  const int priced = static_cast<int>(seconds.size()) - 1;
  const double plain = seconds.front();
  double rows = 0;
  if (priced > 0) {
    rows = seconds[static_cast<std::size_t>(std::min(drafted, priced))] / plain - 1;
    if (drafted > priced) rows *= static_cast<double>(drafted) / priced;
  }
  return rows + drafted * prices_.step_share;
}

}  // namespace outrider::draft
