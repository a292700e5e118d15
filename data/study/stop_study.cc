#include "data/study/stop_study.h"

namespace outrider::study {

void StopCell::add(const DecodeSums& text) {
  sums.add(text);
  tokens_of_texts.push_back(text.tokens);
  seconds_of_texts.push_back(text.seconds);
}

}  // namespace outrider::study
