#include "runtime/methods/ngrammys.h"

#include <memory>
#include <utility>

#include "runtime/draft/ngram/ngrammys_drafter.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string Ngrammys::summary() const { return "context-ngram, filled up with bigram"; }

void Ngrammys::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kUncalibratedShape);
  visit_query(visitor, settings.query);
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
}

OwnDrafters Ngrammys::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<Ngrammys>(*this);
  NgrammysSettings& use = resolved->settings;
  const LoadedNgrams loaded = load_ngrams(target, name(), use.artifacts);
  resolve_shape(target, settings.artifacts, *resolved, use.drafts, &use.draft_length);
  check_drafts(*use.drafts, loaded.tables->top);
  resolve_fixed_length(use.draft_length);
  const draft::NGrammysOptions options = {use.query, *use.drafts, *use.draft_length,
                                          tree_form(use.rows)};
  return {.resolved = std::move(resolved),
          .new_drafter = [tables = loaded.tables,
                          options] { return std::make_unique<draft::NGrammys>(tables, options); },
          .artifacts = settings.artifacts};
}

std::unique_ptr<Method> new_ngrammys() { return std::make_unique<Ngrammys>(); }

}  // namespace outrider::methods
