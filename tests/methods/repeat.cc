#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/draft/drafter.h"
#include "runtime/methods/drafting_method.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// Proposes that the last tokens of the text come again, and again.
class RepeatDrafter : public draft::Drafter {
 public:
  RepeatDrafter(int period, int length) : period_(period), length_(length) {}

  std::string name() const override { return "repeat"; }

  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    const std::span<const Token> text = context.committed;
    const int first = static_cast<int>(text.size()) - period_;  // of those that come again
    if (first < 0) return;
    int node = 0;  // the root, the text's last token
    for (int i = 0; i < length_ && node != draft::TokenTree::kNone; ++i) {
      const int position = first + i % period_;
      const draft::Origin origin = {.source = draft::Source::kContext, .position = position};
      node = tree.add(node, text[static_cast<std::size_t>(position)], origin);
    }
  }

 private:
  int period_;
  int length_;
};

struct RepeatSettings {
  std::optional<int> draft_length;  // nothing: kDraftLength
  int period = 1;
};

class Repeat : public DraftingMethod {
 public:
  std::string name() const override { return "repeat"; }
  std::string summary() const override { return "the last tokens once more"; }

  RepeatSettings settings;

 protected:
  Capabilities own_capabilities() const override { return {.copies = true}; }

  void visit_own(SettingVisitor& visitor) override {
    visit_draft_length(visitor, settings.draft_length);
    visitor.whole({"period", "how many of the last tokens come again"}, {1, 64}, settings.period);
  }

  OwnDrafters prepare_own(const MethodTarget& /*target*/) const override {
    auto resolved = std::make_unique<Repeat>(*this);
    resolve_fixed_length(resolved->settings.draft_length);
    const int length = *resolved->settings.draft_length, period = settings.period;
    return {std::move(resolved),
            [period, length] { return std::make_unique<RepeatDrafter>(period, length); }};
  }
};

}  // namespace

std::unique_ptr<Method> new_repeat() { return std::make_unique<Repeat>(); }

}  // namespace outrider::methods
