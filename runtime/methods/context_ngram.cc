#include "runtime/methods/context_ngram.h"

#include <memory>
#include <optional>
#include <utility>

#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string ContextNgram::summary() const {
  return "the most frequent continuations of the last tokens in the text so far";
}

void ContextNgram::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kUncalibratedShape);
  visit_query(visitor, settings.query);
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
}

OwnDrafters ContextNgram::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<ContextNgram>(*this);
  ContextNgramSettings& use = resolved->settings;
  resolve_shape(target, "", *resolved, use.drafts, &use.draft_length);
  resolve_fixed_length(use.draft_length);
  const draft::ContextNgramOptions options = {settings.query, *use.draft_length, *use.drafts,
                                              tree_form(settings.rows)};
  return {.resolved = std::move(resolved),
          .new_drafter = [options] { return std::make_unique<draft::ContextNgram>(options); }};
}

std::unique_ptr<Method> new_context_ngram() { return std::make_unique<ContextNgram>(); }

}  // namespace outrider::methods
