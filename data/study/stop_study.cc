#include "data/study/stop_study.h"

#include <algorithm>

#include "runtime/draft/model/model_drafter.h"

namespace outrider::study {

void StopCell::add(const decode::DecodeResult& result, double seconds) {
  sums.add(result);
  sums.seconds += seconds - result.stats.decode_seconds;
  for (const draft::DrafterCount& one : result.stats.draft_counts)
    if (one.name == draft::ModelDrafter::kPasses) draft_passes += one.count;
  tokens_of_texts.push_back(std::max<std::int64_t>(std::ssize(result.tokens) - 1, 0));
  seconds_of_texts.push_back(seconds);
}

}  // namespace outrider::study
