#include "runtime/methods/drafting_method.h"

#include "runtime/methods/shared_settings.h"
#include "runtime/methods/wrap.h"

namespace outrider::methods {

Capabilities DraftingMethod::capabilities() const {
  Capabilities all = own_capabilities();
  all.copies = all.copies || around.copy_first.on;
  all.is_source = !all.changes_text;
  return all;
}

void DraftingMethod::visit(SettingVisitor& visitor) {
  visit_own(visitor);
  visit_wrap(visitor, around);
  if (std::string* const file = artifacts()) visit_artifacts(visitor, *file);
}

PreparedMethod DraftingMethod::prepare(const MethodTarget& target) const {
  const OwnDrafters own = prepare_own(target);
  const Capabilities of_own = own_capabilities();
  const auto new_drafter = wrap(target, own, of_own, own.resolved->around);
  return {*own.resolved, new_drafter};
}

}  // namespace outrider::methods
