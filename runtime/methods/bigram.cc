#include "runtime/methods/bigram.h"

#include <memory>
#include <string>
#include <utility>

#include "runtime/draft/ngram/bigram_drafter.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string Bigram::summary() const {
  return "the model's likeliest tokens after the last token without context, extended token by "
         "token";
}

void Bigram::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kUncalibratedShape);
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
}

OwnDrafters Bigram::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<Bigram>(*this);
  BigramSettings& use = resolved->settings;
  const LoadedNgrams loaded = load_ngrams(target, name(), use.artifacts);
  resolve_shape(target, settings.artifacts, *resolved, use.drafts, &use.draft_length);
  check_drafts(*use.drafts, loaded.tables->top);
  resolve_fixed_length(use.draft_length);
  const draft::BigramOptions options = {*use.drafts, *use.draft_length, tree_form(use.rows)};
  return {.resolved = std::move(resolved),
          .new_drafter = [tables = loaded.tables,
                          options] { return std::make_unique<draft::Bigram>(tables, options); },
          .artifacts = settings.artifacts};
}

std::unique_ptr<Method> new_bigram() { return std::make_unique<Bigram>(); }

}  // namespace outrider::methods
