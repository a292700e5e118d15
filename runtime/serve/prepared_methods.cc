#include "runtime/serve/prepared_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runtime/base/json_text.h"
#include "runtime/methods/settings.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {

PreparedMethods::Kept PreparedMethods::find(methods::Method& method, double temperature) {
  const std::string key = fmt::format("{} {} {}", method.name(), temperature,
                                      json_text(methods::settings_record(method)));
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
  } else {
    const std::int64_t before = bytes();
    kept_.push_front({key, session_.prepare(method, temperature)});
    const std::int64_t loaded = bytes() - before;
    if (most_bytes_ > 0 && loaded > most_bytes_) {
      kept_.pop_front();
      throw ApiError(503, fmt::format("{} loads {} bytes, expected at most {} (--cache-bytes)",
                                      method.name(), loaded, most_bytes_));
    }
    if (kept_.size() > kMostKept) kept_.pop_back();
    while (most_bytes_ > 0 && kept_.size() > 1 && bytes() > most_bytes_ / 2) kept_.pop_back();
  }
  return kept_.front();
}

void PreparedMethods::forget(const std::string& key) {
  std::erase_if(kept_, [&](const Kept& one) { return one.key == key; });
}

}  // namespace outrider::serve
