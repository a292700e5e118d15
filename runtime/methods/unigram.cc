#include "runtime/methods/unigram.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/draft/ngram/unigram_drafter.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string Unigram::summary() const {
  return "always the same single tokens, ranked by the model's embeddings";
}

void Unigram::visit_own(SettingVisitor& visitor) {
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
}

OwnDrafters Unigram::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<Unigram>(*this);
  UnigramSettings& use = resolved->settings;
  const LoadedNgrams loaded = load_ngrams(target, name(), use.artifacts);
  resolve_shape(target, settings.artifacts, *resolved, use.drafts, nullptr);
  check_drafts(*use.drafts, loaded.tables->vocab());
  return {.resolved = std::move(resolved),
          .new_drafter =
              [tables = loaded.tables, drafts = *use.drafts, form = tree_form(use.rows)] {
                return std::make_unique<draft::Unigram>(tables, drafts, form);
              },
          .artifacts = settings.artifacts};
}

std::unique_ptr<Method> new_unigram() { return std::make_unique<Unigram>(); }

}  // namespace outrider::methods
