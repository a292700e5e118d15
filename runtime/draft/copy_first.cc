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

int CopyFirst::start(std::span<const Token> text, int kept) {
  drafted_.reset();
  return ComposedDrafter::start(text, kept);
}

void CopyFirst::fill(const DraftContext& context, TokenTree& tree) {
  for (std::size_t i = 0; i < num_parts() && tree.num_drafted() == 0; ++i) {
    drafted_ = i;
    draft_with(i, context, tree);
  }
}

void CopyFirst::verified(std::span<const int> accepted, Token next) {
  if (drafted_) tell(*drafted_, accepted, next);
  drafted_.reset();
}

}  // namespace outrider::draft
