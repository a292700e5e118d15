#include "data/store/recorded_context.h"

#include <climits>

#include "runtime/base/numbers.h"

namespace outrider::data {

int recorded_context(const StoreIdentity& identity) {
  const std::string* text = find_option(identity, "ctx");
  const auto context = text == nullptr ? std::nullopt : parse_integer(*text);
  return context && *context > 0 && *context <= INT_MAX ? static_cast<int>(*context) : 0;
}

}  // namespace outrider::data
