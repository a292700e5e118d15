#include "runtime/serve/prepared_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runtime/base/json_text.h"
#include "runtime/methods/settings.h"

namespace outrider::serve {

PreparedMethods::Kept PreparedMethods::find(methods::Method& method, double temperature) {
  const std::string key = fmt::format("{} {} {}", method.name(), temperature,
                                      json_text(methods::settings_record(method)));
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
  } else {
    kept_.push_front({key, session_.prepare(method, temperature)});
    if (kept_.size() > kMostKept) kept_.pop_back();
  }
  return kept_.front();
}

}  // namespace outrider::serve
