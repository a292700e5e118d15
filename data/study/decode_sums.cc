#include "data/study/decode_sums.h"

#include <algorithm>

#include "runtime/draft/model/model_drafter.h"

namespace outrider::study {

void DecodeSums::add(const decode::DecodeResult& result) {
  tokens += std::max<std::int64_t>(std::ssize(result.tokens) - 1, 0);
  passes += result.stats.passes;
  drafted += result.stats.drafted;
  accepted += result.stats.accepted;
  for (const draft::DrafterCount& one : result.stats.draft_counts)
    if (one.name == draft::ModelDrafter::kPasses) draft_passes += one.count;
  seconds += result.stats.decode_seconds;
}

void DecodeSums::add(const DecodeSums& others) {
  tokens += others.tokens;
  passes += others.passes;
  drafted += others.drafted;
  accepted += others.accepted;
  draft_passes += others.draft_passes;
  seconds += others.seconds;
}

double DecodeSums::tokens_per_call() const {
  return passes == 0 ? 1 : static_cast<double>(tokens) / static_cast<double>(passes);
}

double DecodeSums::tokens_per_second() const {
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

}  // namespace outrider::study
