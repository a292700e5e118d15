#include "data/store/context_length.h"

#include <climits>

#include "data/store/trace_store.h"
#include "runtime/base/numbers.h"

namespace outrider::data {

int context_length(const StoreIdentity& identity) {
  const std::string* text = find_option(identity, "ctx");
  const auto context = text == nullptr ? std::nullopt : parse_integer(*text);
  return context && *context > 0 && *context <= INT_MAX ? static_cast<int>(*context) : 0;
}

int context_length(const std::vector<std::string>& folders) {
  return folders.empty() ? 0 : context_length(TraceStore(folders.front()).identity());
}

}  // namespace outrider::data
