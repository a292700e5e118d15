#include "runtime/methods/loaded_draft.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/engine_names.h"

namespace outrider::methods {
namespace {

LoadedDraft load(const MethodTarget& target, const std::string& draft, int threads) {
  LoadedDraft loaded;
  loaded.model = std::make_unique<const model::Model>(model::load_model(draft));
  engine::EngineOptions options;
  options.isa = engine::isa_of(target.engine().isa_name());
  // Threads of its own only where there is just the caller's: two teams would spin on each other's cores.
  if (threads == target.engine().threads()) {
    options.team = target.engine().team();
  } else {
    options.threads = threads;
  }
  loaded.engine = engine::make_engine(*loaded.model, options);
  return loaded;
}

}  // namespace

std::shared_ptr<const LoadedDraft> load_draft(const MethodTarget& target, const std::string& draft,
                                              std::optional<int>& threads) {
  const int all = target.engine().threads();
  threads = threads.value_or(all);
  if (*threads != 1 && *threads != all)
    throw InputError(fmt::format("--draft-threads: expected 1, or {} as the target has, found {}",
                                 all, *threads));
  return target.load_once<LoadedDraft>(fmt::format("{} {}", draft, *threads),
                                       [&] { return load(target, draft, *threads); });
}

}  // namespace outrider::methods
