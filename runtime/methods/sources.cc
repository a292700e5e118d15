#include "runtime/methods/sources.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"

namespace outrider::methods {
namespace {

PreparedMethod prepared(const MethodTarget& target, const std::string& artifacts,
                        const std::string& name) {
  for (const std::string& possible : possible_sources()) {
    if (possible != name) continue;
    const auto method = new_method(name);
    fill_in(*method, "artifacts", artifacts);
    return method->prepare(target);
  }
  throw InputError(fmt::format("--sources: expected some of {}, found '{}'",
                               fmt::join(possible_sources(), ", "), name));
}

}  // namespace

std::vector<std::string> possible_sources() {
  return names_of(all_methods(), &Capabilities::is_source);
}

std::vector<PreparedMethod> prepare_sources(const MethodTarget& target,
                                            const std::string& artifacts,
                                            const std::vector<std::string>& names) {
  std::vector<PreparedMethod> sources;
  for (const std::string& name : names) sources.push_back(prepared(target, artifacts, name));
  return sources;
}

}  // namespace outrider::methods
