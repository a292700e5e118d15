#include "runtime/engine/tap_request.h"

#include <algorithm>

namespace outrider::engine {
namespace {

template <typename T>
void add_missing(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& one : from)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

}  // namespace

void TapRequest::merge(const TapRequest& other) {
  add_missing(layers, other.layers);
  add_missing(heads, other.heads);
  best_keys = best_keys || other.best_keys;
  logits = logits || other.logits;
}

}  // namespace outrider::engine
