#include "data/study/attribution_score.h"

#include <algorithm>

namespace outrider::study {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void AttributionScore::add(const std::vector<decode::CopiedSpan>& copied,
                           const KnownCopies& known) {
  gold += std::count_if(known.answer.begin(), known.answer.end(), [](int s) { return s != 0; });
  for (const decode::CopiedSpan& span : copied) {
    if (span.end - span.begin < min_span) continue;
    std::int64_t marked = 0, agreeing = 0;
    for (int i = span.begin; i < span.end; ++i) {
      const int source = known.answer[static_cast<std::size_t>(i)];
      const int found = known.prompt[static_cast<std::size_t>(span.source + i - span.begin)];
      marked += source != 0 ? 1 : 0;
      agreeing += source != 0 && source == found ? 1 : 0;
    }
    predicted += span.end - span.begin;
    both += marked;
    spans += marked > 0 ? 1 : 0;
    right += 2 * agreeing > marked ? 1 : 0;
  }
}

double AttributionScore::precision() const { return share(both, predicted); }
double AttributionScore::recall() const { return share(both, gold); }
double AttributionScore::f1() const { return share(2 * both, predicted + gold); }
double AttributionScore::right_share() const { return share(right, spans); }

}  // namespace outrider::study
