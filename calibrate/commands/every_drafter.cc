#include "calibrate/commands/every_drafter.h"

#include "runtime/base/error.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {

EveryDrafter every_drafter(const model::Model& model, engine::Engine& engine,
                           const std::string& artifacts) {
  const methods::MethodTarget target(model, engine);
  EveryDrafter every;
  for (const methods::NewMethod make : methods::all_methods()) {
    const auto method = make();
    methods::fill_in(*method, "artifacts", artifacts);
    methods::fill_in(*method, "drafts", methods::kDrafts);
    methods::fill_in(*method, "draft-length", methods::kDraftLength);
    try {
      const methods::PreparedMethod prepared = method->prepare(target);
      if (prepared.name() != method->name()) continue;  // resolved to another method
      if (auto drafter = prepared.new_drafter())
        every.drafters.push_back({prepared.name(), std::move(drafter)});
    } catch (const InputError&) {
      every.left_out.push_back(method->name());
    }
  }
  return every;
}

}  // namespace outrider::calibrate
