#include "runtime/methods/tree_sources.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/draft/graph/with_sources.h"
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
  std::vector<std::string> names;
  for (const NewMethod make : all_methods())
    if (const auto method = make(); method->capabilities().is_source)
      names.push_back(method->name());
  return names;
}

PreparedMethod::NewDrafter with_sources(const MethodTarget& target, const std::string& artifacts,
                                        const TreeSettings& use, PreparedMethod::NewDrafter model) {
  if (use.sources.empty()) return model;
  if (use.verify == "rejection")
    throw InputError(
        "--sources: not with --verify rejection, since the drafts of other methods are not drawn "
        "from a "
        "distribution; expected --verify coupled");
  std::vector<PreparedMethod> sources;
  for (const std::string& name : use.sources) sources.push_back(prepared(target, artifacts, name));
  return [sources, model = std::move(model)]() -> std::unique_ptr<draft::Drafter> {
    std::vector<std::unique_ptr<draft::Drafter>> drafters;
    for (const PreparedMethod& source : sources) drafters.push_back(source.new_drafter());
    return std::make_unique<draft::WithSources>(std::move(drafters), model());
  };
}

}  // namespace outrider::methods
