#include "runtime/draft/with_sources.h"

#include <algorithm>
#include <utility>

namespace outrider::draft {
namespace {

std::vector<std::unique_ptr<Drafter>> all(std::vector<std::unique_ptr<Drafter>> sources,
                                          std::unique_ptr<Drafter> drafter) {
  sources.push_back(std::move(drafter));
  return sources;
}

}  // namespace

WithSources::WithSources(std::vector<std::unique_ptr<Drafter>> sources,
                         std::unique_ptr<Drafter> drafter, int nodes)
    : ComposedDrafter(all(std::move(sources), std::move(drafter))), nodes_(nodes) {}

void WithSources::compose(const DraftContext& context, TokenTree& tree) {
  const std::size_t last = num_parts() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    draft_with(i, context, tree);
    merge(i, tree);
  }
  draft_with(last, context, tree, std::max(0, nodes_ - tree.num_drafted()));
  merge(last, tree);
}

}  // namespace outrider::draft
