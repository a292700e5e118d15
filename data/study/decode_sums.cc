#include "data/study/decode_sums.h"

#include <algorithm>

namespace outrider::study {

void DecodeSums::add(const decode::DecodeResult& result) {
  tokens += std::max<std::int64_t>(std::ssize(result.tokens) - 1, 0);
  passes += result.stats.passes;
  drafted += result.stats.drafted;
  accepted += result.stats.accepted;
  seconds += result.stats.decode_seconds;
}

double DecodeSums::tokens_per_call() const {
  return passes == 0 ? 1 : static_cast<double>(tokens) / static_cast<double>(passes);
}

double DecodeSums::tokens_per_second() const {
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

}  // namespace outrider::study
