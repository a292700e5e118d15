#include "calibrate/cost/every_drafter.h"

#include "runtime/base/error.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {
namespace {

constexpr int kDrafts = 10;

/// A method with drafts of the usual length, or of its own where it cannot draft so many.
methods::PreparedMethod prepared(const methods::MethodTarget& target, methods::NewMethod make,
                                 const std::string& artifacts) {
  const auto method = make();
  methods::fill_in(*method, "artifacts", artifacts);
  methods::fill_in(*method, "drafts", kDrafts);
  if (method->longest_draft(target) >= methods::kDraftLength)
    methods::fill_in(*method, "draft-length", methods::kDraftLength);
  return method->prepare(target);
}

}  // namespace

EveryDrafter every_drafter(const methods::MethodTarget& target, const std::string& artifacts) {
  EveryDrafter every;
  for (const methods::NewMethod make : methods::all_methods()) {
    const std::string name = make()->name();
    try {
      const methods::PreparedMethod method = prepared(target, make, artifacts);
      if (method.name() != name) continue;  // resolved to another method
      if (auto drafter = method.new_drafter()) every.drafters.push_back({name, std::move(drafter)});
    } catch (const InputError&) {
      every.left_out.push_back(name);
    }
  }
  return every;
}

}  // namespace outrider::calibrate
