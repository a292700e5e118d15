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
                         std::unique_ptr<Drafter> drafter, int nodes,
                         std::vector<LengthCosts> passes)
    : ComposedDrafter(all(std::move(sources), std::move(drafter))),
      nodes_(nodes),
      passes_(std::move(passes)) {}

void WithSources::compose(const DraftContext& context, TokenTree& tree) {
  if (tree.acceptance() != nullptr) return admit(context, tree);
  const std::size_t last = num_parts() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    draft_with(i, context, tree);
    merge(i, tree);
  }
  draft_with(last, context, tree, std::max(0, nodes_ - tree.num_drafted()));
  merge(last, tree);
}

/// Asks every part for all that it has, and adds the best of it.
void WithSources::admit(const DraftContext& context, TokenTree& tree) {
  all_.restart(tree.token(0), {.depth = tree.limits().depth});
  bool is_cut = false;
  for (std::size_t i = 0; i < num_parts(); ++i) {
    is_cut = draft_with(i, context, tree).is_cut() || is_cut;
    merge(i, all_);
  }
  std::span<const double> seconds;
  if (!passes_.empty())
    seconds = costs_after(passes_, static_cast<int>(context.committed.size())).seconds;
  const int room = tree.limits().nodes;
  admission_.run(all_, std::min(nodes_, room), seconds, tree);
  if (tree.num_drafted() == room && (is_cut || all_.num_drafted() > room)) tree.note_cut();
}

}  // namespace outrider::draft
