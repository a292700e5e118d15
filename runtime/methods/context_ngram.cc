#include "runtime/methods/context_ngram.h"

#include <memory>
#include <optional>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/ngram/context_ngram.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string ContextNgram::summary() const {
  return "the most frequent continuations of the last tokens in the text so far";
}

void ContextNgram::visit(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kUncalibratedShape);
  visit_query(visitor, settings.query);
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
}

PreparedMethod ContextNgram::prepare(const MethodTarget& target) const {
  ContextNgram resolved = *this;
  const auto known = known_artifacts(target, "");
  resolve_shape(target, *known, resolved.settings.drafts, resolved.settings.draft_length);
  resolve_fixed_length(resolved.settings.draft_length);
  const draft::ContextNgramOptions options = {settings.query, *resolved.settings.draft_length,
                                              *resolved.settings.drafts, tree_form(settings.rows)};
  return {resolved, [options] { return std::make_unique<draft::ContextNgram>(options); }};
}

std::unique_ptr<Method> new_context_ngram() { return std::make_unique<ContextNgram>(); }

}  // namespace outrider::methods
