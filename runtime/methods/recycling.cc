#include "runtime/methods/recycling.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/draft/ngram/recycling_drafter.h"
#include "runtime/methods/loaded_ngrams.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

constexpr int kLevels = 8;  // of a tree
/// Tokens of a tree where no prices are known.
constexpr int kUnpricedNodes = 4;

}  // namespace

std::string Recycling::summary() const {
  return "a tree of the target's own top predictions after earlier occurrences of the last tokens, "
         "rejected drafts included; where there are none, those of bigram";
}

void Recycling::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, fmt::format("levels of a tree, {}", kLevels));
  visitor.whole({"draft-nodes",
                 "tokens of a draft, the likeliest as one tree; 0: at each step as many as are "
                 "fastest by this machine's costs; without this flag 0 if these are known, else 4"},
                {0, 256}, settings.draft_nodes);
}

OwnDrafters Recycling::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<Recycling>(*this);
  RecyclingSettings& use = resolved->settings;
  const LoadedNgrams loaded = load_ngrams(target, name(), use.artifacts);
  use.draft_length = use.draft_length.value_or(kLevels);
  resolve_fixed_length(use.draft_length);
  draft::RecyclingOptions options = {.draft_length = *use.draft_length};
  if (use.draft_nodes.value_or(0) == 0) {
    const auto costs = machine_costs(target, *loaded.known);
    if (use.draft_nodes && !costs)
      throw InputError(
          "--draft-nodes: expected at least 1; 0 is for machines whose costs are known, which "
          "`calibrate cost` measures, or this command without --costs stored");
    use.draft_nodes = costs ? 0 : kUnpricedNodes;
    if (costs)
      options.passes = length_costs(*costs, draft::Recycling::kMostNodes,
                                    target.model().config.context, cost::Shape::kTree);
  }
  options.nodes = *use.draft_nodes;
  return {.resolved = std::move(resolved),
          .new_drafter =
              [tables = loaded.tables, options, kernels = &target.engine().score_kernels()] {
                return std::make_unique<draft::Recycling>(tables, options, *kernels);
              },
          .artifacts = settings.artifacts};
}

std::unique_ptr<Method> new_recycling() { return std::make_unique<Recycling>(); }

}  // namespace outrider::methods
