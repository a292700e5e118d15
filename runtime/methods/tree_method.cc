#include "runtime/methods/tree_method.h"

#include "runtime/base/error.h"
#include "runtime/draft/graph/tree_drafter.h"
#include "runtime/methods/copy_first.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// Nodes of a tree without a budget of its own.
constexpr int kMostNodes = 2048;
/// Above this many rows a pass of the target costs several of one row on every machine measured.
constexpr int kDefaultNodes = 24;

/// Gives settings without a value those of the preset. Both are the paper's but for its budget of nodes.
void complete(TreeSettings& use) {
  const draft::TreeDrafterOptions paper;
  use.draft_length = use.draft_length.value_or(paper.steps);
  use.children = use.children.value_or(paper.children);
  use.prune_probability = use.prune_probability.value_or(paper.pruning.probability);
  use.prune_siblings = use.prune_siblings.value_or(paper.pruning.sibling);
  use.min_path = use.min_path.value_or(paper.pruning.path);
  use.tree_nodes = use.tree_nodes.value_or(use.preset == "paper" ? kMostNodes : kDefaultNodes);
  use.merge_run = use.merge_run.value_or(2);
  resolve_fixed_length(use.draft_length);
}

}  // namespace

void TreeMethod::visit(SettingVisitor& visitor) {
  visit_draft(visitor, settings.draft);
  visitor.text({"preset",
                "of the settings of trees that are not given: default, at most 24 nodes; paper, as "
                "published, without a budget of nodes"},
               {"default", "paper"}, settings.preset);
  visit_draft_length(visitor, settings.draft_length);
  visitor.whole({"children", "children of every expanded node; without this flag 4"},
                {1, static_cast<int>(draft::KeptLogits::kOfRow)}, settings.children);
  visitor.real({"prune-probability",
                "the least draft probability of a node that is expanded; without this flag 0.2"},
               {0, 1}, settings.prune_probability);
  visitor.real(
      {"prune-siblings",
       "the least share of its likeliest sibling's probability with which a node is expanded; "
       "without this flag 0.3"},
      {0, 1}, settings.prune_siblings);
  visitor.real(
      {"min-path", "the least probability of the whole path to a node that is expanded; 0: any"},
      {0, 1}, settings.min_path);
  visitor.whole({"tree-nodes", "most tokens of a tree; without this flag by the preset"},
                {1, kMostNodes}, settings.tree_nodes);
  if (merges())
    visitor.whole({"merge-run",
                   "a branch is merged when its last so many drafted tokens already occur in the "
                   "graph: it continues as they do there, without being drafted; without this flag "
                   "2"},
                  {1, 16}, settings.merge_run);
  visit_draft_threads(visitor, settings.draft_threads);
  visit_verify(visitor, settings.verify);
  visit_copy_first(visitor, settings.copy_first);
  visit_artifacts(visitor, settings.artifacts);
}

PreparedMethod TreeMethod::prepare(const MethodTarget& target) const {
  if (settings.verify == "rejection")
    throw InputError(
        merges()
            ? "--verify: rejection is not for --method gsd: which branches are merged depends on "
              "the "
              "tokens drawn, and reusing them would change the distribution of texts; expected "
              "coupled"
            : "--verify: rejection is not for --method tsd, whose children are the best tokens and "
              "not drawn; expected coupled");
  const auto resolved = clone();
  TreeSettings& use = resolved->settings;
  complete(use);
  const auto loaded = load_draft(target, use.draft, use.artifacts, use.draft_threads);
  const draft::TreeDrafterOptions options = {
      .steps = *use.draft_length,
      .children = *use.children,
      .pruning = {*use.prune_probability, *use.prune_siblings, *use.min_path},
      .nodes = *use.tree_nodes,
      .tau = merges() ? *use.merge_run : 0,
      .target_vocab = target.model().config.vocab,
      .head_tokens = loaded->model->head_tokens};
  const auto new_drafter =
      copy_first(target, settings.artifacts, {}, use, "off", [engine = engine_of(loaded), options] {
        return std::make_unique<draft::TreeDrafter>(engine, options);
      });
  return {*resolved, new_drafter};
}

}  // namespace outrider::methods
