#include "calibrate/commands/every_drafter.h"

#include "runtime/base/error.h"
#include "runtime/cli/decode_options.h"
#include "runtime/methods/method.h"

namespace outrider::calibrate {

EveryDrafter every_drafter(const model::Model& model, const engine::Engine& engine,
                           const std::string& artifacts) {
  EveryDrafter every;
  for (const std::string& name : method_names()) {
    DecodeOptions options;
    options.method = name;
    options.artifacts = artifacts;
    options.drafts = kDrafts;
    options.draft_length = kDraftLength;
    try {
      settle_method(options, model, engine);
    } catch (const InputError&) {
      every.left_out.push_back(name);
      continue;
    }
    if (auto drafter = make_drafter(options)) every.drafters.push_back({name, std::move(drafter)});
  }
  return every;
}

}  // namespace outrider::calibrate
