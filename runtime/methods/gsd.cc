#include "runtime/methods/gsd.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/list.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// Nodes of a tree without a budget of its own.
constexpr int kMostNodes = 2048;
/// Above this many rows a pass of the target costs several of one row on every machine measured.
constexpr int kDefaultNodes = 24;
/// The paper's tau.
constexpr int kDefaultRun = 2;

/// Gives settings without a value those of the preset. Both are the paper's but for its budget of nodes.
void complete(GsdSettings& use) {
  const draft::GsdDrafterOptions paper;
  use.draft_length = use.draft_length.value_or(paper.steps);
  use.children = use.children.value_or(paper.children);
  use.prune_probability = use.prune_probability.value_or(paper.pruning.probability);
  use.prune_siblings = use.prune_siblings.value_or(paper.pruning.sibling);
  use.min_path = use.min_path.value_or(paper.pruning.path);
  use.tree_nodes = use.tree_nodes.value_or(use.preset == "paper" ? kMostNodes : kDefaultNodes);
  use.merge_run = use.merge_run.value_or(kDefaultRun);
  resolve_fixed_length(use.draft_length);
  use.draft_depth = use.draft_depth.value_or(*use.draft_length);
  if (*use.draft_depth < *use.draft_length)
    throw InputError(
        fmt::format("--draft-depth: expected at least {}, the levels that are drafted "
                    "(--draft-length), since deeper ones would be drafted in vain; found {}",
                    *use.draft_length, *use.draft_depth));
}

void check_rejection(const GsdSettings& use, bool merges) {
  if (merges)
    throw InputError(
        "--verify: rejection is not for --method gsd: which branches are merged depends on the "
        "tokens drawn, and reusing them would change the distribution of texts; expected coupled");
  if (*use.tree_nodes < *use.children)
    throw InputError(
        fmt::format("--tree-nodes: expected with --verify rejection at least {}, as --children, "
                    "since a node's children are drafted all or not at all; found {}",
                    *use.children, *use.tree_nodes));
}

/// What calibration found out about the drafts in use.
struct KnownSpeed {
  std::optional<double> speed_up = {};  // over plain decoding
  double step_share = 0;                // of draft::DraftPrices
};

/// The time of a node that is verified in passes over one row: the draft model's passes, divided among the nodes of a round.
double step_share(const cost::Trial& trial, const cost::DraftingCost& drafting) {
  const double nodes = (trial.verified_per_round() - 1) * static_cast<double>(trial.rounds);
  if (nodes <= 0) return 0;
  return trial.drafting.seconds([&](int rows) { return drafting.share_of(rows); }) / nodes;
}

}  // namespace

void Gsd::visit_own(SettingVisitor& visitor) {
  visit_draft(visitor, settings.draft);
  visitor.text({"preset",
                "of the settings of trees that are not given: default, the fastest on this machine "
                "by what `calibrate gsd` found, or as published with at most 24 nodes; paper, as "
                "published, with room for all nodes"},
               {"default", "paper"}, settings.preset);
  visit_draft_length(visitor, settings.draft_length, "levels of a tree, by the preset");
  visitor.whole({"children",
                 "children of every expanded node, 1: a chain; without this flag by the preset, 4 "
                 "as published"},
                {1, static_cast<int>(draft::KeptLogits::kOfRow)}, settings.children);
  visitor.real({"prune-probability",
                "the least draft probability of a node that is expanded; without this flag by the "
                "preset, 0.2 as published"},
               {0, 1}, settings.prune_probability);
  visitor.real({"prune-siblings",
                "the least share of its likeliest sibling's probability with which a node is "
                "expanded; without this flag by the preset, 0.3 as published"},
               {0, 1}, settings.prune_siblings);
  visitor.real({"min-path",
                "the least probability of the whole path to a node that is expanded; 0: any; "
                "without this flag by the preset, 0 as published"},
               {0, 1}, settings.min_path);
  visitor.whole(
      {"tree-nodes",
       fmt::format(
           "most tokens of a tree; 0: nothing is drafted; without this flag by the preset, or 0 "
           "where `calibrate gsd` predicts less than {} times the speed of plain decoding",
           kLeastDraftSpeedUp)},
      {0, kMostNodes}, settings.tree_nodes);
  if (merges_) {
    visitor.whole({"merge-run",
                   "a branch is merged when its last so many drafted tokens already occur in the "
                   "graph: it continues as they do there, without being drafted; without this flag "
                   "by the preset, 2 as published"},
                  {1, 16}, settings.merge_run);
    visitor.whole({"draft-depth",
                   "tokens of a verified path at most, where merged branches make paths longer "
                   "than the levels that are drafted; without this flag as --draft-length"},
                  {1, kMostDraftLength}, settings.draft_depth);
  }
  visit_draft_vocab(visitor, settings.draft_vocab);
  visit_draft_threads(visitor, settings.draft_threads);
  visit_verify(visitor, settings.verify,
               merges_
                   ? "coupled only"
                   : "rejection draws children without replacement and tries them in that order");
}

cost::Preference Gsd::preference() const {
  return [](const cost::Trial& one, const cost::Trial& fastest) {
    const auto differs = [&](const char* name) {
      return cost::number_of(one.settings, name) != cost::number_of(fastest.settings, name);
    };
    if (differs("children") || differs("tree-nodes")) return HUGE_VAL;
    int thresholds = 0;
    for (const char* name : {"prune-probability", "prune-siblings", "min-path"})
      thresholds += cost::number_of(one.settings, name) > 0;
    return static_cast<double>(thresholds);
  };
}

OwnDrafters Gsd::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<Gsd>(*this);
  GsdSettings& use = resolved->settings;
  find_draft(target, use.draft, use.artifacts);
  KnownSpeed known;
  // The search takes --artifacts as given: settings can be in another file than the draft model.
  // They hold for coupled drafts.
  if (use.preset != "paper" && use.verify != "rejection")
    if (const auto found = find_calibrated_trials(
            target,
            draft_model_to_find(target, name(), use.draft, settings.artifacts, use.draft_vocab))) {
      const bool has_shape = !found->given_by(*resolved).empty() || use.draft_depth;
      if (const cost::Trial* const best =
              found->take(*resolved, use.draft_threads, has_shape ? nullptr : &use.tree_nodes))
        known = {found->tried.speed_up(*best), step_share(*best, found->drafting)};
      use.artifacts = found->file;
    }
  complete(use);
  if (use.verify == "rejection") check_rejection(use, merges_);
  // So are the counts by which the head of a draft model from a file is trimmed.
  std::string artifacts = settings.artifacts;
  const auto loaded = load_draft(target, use.draft, artifacts, use.draft_threads, use.draft_vocab);
  use.draft_vocab = loaded->vocab();
  const draft::GsdDrafterOptions options = {
      .steps = *use.draft_length,
      .depth = *use.draft_depth,
      .children = *use.children,
      .pruning = {*use.prune_probability, *use.prune_siblings, *use.min_path},
      .nodes = *use.tree_nodes,
      .tau = merges_ ? *use.merge_run : 0,
      .verification = verification(use.verify),
      .target_vocab = target.model().config.vocab,
      .head_tokens = loaded->model->head_tokens};
  return {.resolved = std::move(resolved),
          .new_drafter = [engine = engine_of(loaded),
                          options] { return std::make_unique<draft::GsdDrafter>(engine, options); },
          .artifacts = settings.artifacts,
          .speed_up = known.speed_up,
          .step_share = known.step_share,
          .most_nodes = *use.tree_nodes};
}

std::unique_ptr<Method> new_gsd() { return std::make_unique<Gsd>(true); }

}  // namespace outrider::methods
