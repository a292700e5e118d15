#include "runtime/draft/copy_first.h"

#include <utility>

namespace outrider::draft {
namespace {

std::vector<std::unique_ptr<Drafter>> both(std::unique_ptr<Drafter> copier,
                                           std::unique_ptr<Drafter> model) {
  std::vector<std::unique_ptr<Drafter>> parts;
  parts.push_back(std::move(copier));
  parts.push_back(std::move(model));
  return parts;
}

}  // namespace

CopyFirst::CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model)
    : ComposedDrafter(both(std::move(copier), std::move(model))) {}

void CopyFirst::compose(const DraftContext& context, TokenTree& tree) {
  for (std::size_t i = 0; i < num_parts(); ++i) {
    if (draft_with(i, context, tree).num_drafted() == 0) continue;
    merge(i, tree);
    return;
  }
}

}  // namespace outrider::draft
