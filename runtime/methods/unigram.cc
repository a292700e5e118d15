#include <memory>
#include <optional>
#include <string>

#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/method.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// draft::Unigram: always the same tokens.
struct UnigramSettings {
  std::optional<int> drafts;  // nothing: see resolve_shape
  bool rows = false;          // separate drafts, not merged into a tree
  std::string artifacts;      // file; empty: searched for
};

class Unigram : public Method {
 public:
  std::string name() const override { return "unigram"; }
  std::string summary() const override;
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  UnigramSettings settings;
};

std::string Unigram::summary() const {
  return "always the same single tokens, ranked by the model's embeddings";
}

void Unigram::visit(SettingVisitor& visitor) {
  visit_drafts(visitor, settings.drafts);
  visit_rows(visitor, settings.rows);
  visit_artifacts(visitor, settings.artifacts);
}

PreparedMethod Unigram::prepare(const MethodTarget& target) const {
  Unigram resolved = *this;
  UnigramSettings& use = resolved.settings;
  const LoadedNgrams loaded = load_ngrams(target, name(), use.artifacts);
  std::optional<int> length = 1;
  resolve_shape(target, *loaded.known, use.drafts, length);
  check_drafts(*use.drafts, loaded.tables->vocab());
  return {resolved, [tables = loaded.tables, drafts = *use.drafts, form = tree_form(use.rows)] {
            return std::make_unique<draft::Unigram>(tables, drafts, form);
          }};
}

}  // namespace

std::unique_ptr<Method> new_unigram() { return std::make_unique<Unigram>(); }

}  // namespace outrider::methods
