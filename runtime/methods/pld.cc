#include "runtime/methods/pld.h"

#include "runtime/draft/copy/pld.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string Pld::summary() const { return "copies what followed the last n-gram"; }

void Pld::visit(SettingVisitor& visitor) {
  visitor.whole({"ngram", "longest n-gram looked up"}, {1, 64}, settings.ngram);
  visit_draft_length(visitor, settings.draft_length);
}

PreparedMethod Pld::prepare(const MethodTarget&) const {
  Pld resolved = *this;
  resolve_fixed_length(resolved.settings.draft_length);
  const draft::PldOptions options = {settings.ngram, *resolved.settings.draft_length};
  return {resolved, [options] { return std::make_unique<draft::Pld>(options); }};
}

std::unique_ptr<Method> new_pld() { return std::make_unique<Pld>(); }

}  // namespace outrider::methods
