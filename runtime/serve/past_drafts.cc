#include "runtime/serve/past_drafts.h"

#include <algorithm>

namespace outrider::serve {
namespace {

/// What the texts before count when one is added.
constexpr double kKept = 0.9;
/// Drafted tokens, or rounds, of other texts that one is taken to begin with.
constexpr double kPrior = 4;
/// Rounds that share the cost of the first.
constexpr double kRoundsOfFirst = 16;

/// Of a text and of those before it.
double share(double own_part, double own, double part, double all, double unknown) {
  const double usual = (part + kPrior * unknown) / (all + kPrior);
  return (own_part + kPrior * usual) / (own + kPrior);
}

}  // namespace

void PastDrafts::add(const decode::DecodeStats& text) {
  const decode::AskedDrafts& asked = text.asked;
  for (double* const sum :
       {&drafted_, &accepted_, &rounds_, &with_draft_, &first_, &first_seconds_, &seconds_})
    *sum *= kKept;
  drafted_ += text.drafted;
  accepted_ += text.accepted;
  rounds_ += asked.rounds;
  with_draft_ += asked.with_draft;
  first_ += asked.rounds > 0;
  first_seconds_ += asked.first_seconds;
  seconds_ += asked.seconds;
}

double PastDrafts::acceptance(const decode::DecodeStats& text) const {
  return share(text.accepted, text.drafted, accepted_, drafted_, 0.5);
}

double PastDrafts::with_draft(const decode::DecodeStats& text) const {
  return share(text.asked.with_draft, text.asked.rounds, with_draft_, rounds_, 1);
}

double PastDrafts::seconds(const decode::DecodeStats& text) const {
  const double others = rounds_ - first_;
  const double usual = others > 0 ? seconds_ / others : 0;
  if (text.asked.rounds > 1) return text.asked.seconds / (text.asked.rounds - 1);
  if (text.asked.rounds == 1 || first_ == 0) return usual;
  return usual + std::max(0.0, first_seconds_ / first_ - usual) / kRoundsOfFirst;
}

}  // namespace outrider::serve
