#include "runtime/model/own_sampling.h"

#include <algorithm>
#include <limits>

namespace outrider::model {

OwnSampling read_own_sampling(const NumberOf& number, const std::string& prefix,
                              const std::string& temperature, const std::string& penalty) {
  constexpr int kMostTopK = std::numeric_limits<int>::max();
  OwnSampling own;
  own.temperature = number(prefix + temperature, 0, 100).value_or(1);
  own.top_k = std::max(0, static_cast<int>(number(prefix + "top_k", -1, kMostTopK).value_or(0)));
  own.top_p = number(prefix + "top_p", 0, 1).value_or(1);
  own.min_p = number(prefix + "min_p", 0, 1).value_or(0);
  own.repetition_penalty = number(prefix + penalty, 0.01, 100).value_or(1);
  return own;
}

}  // namespace outrider::model
