#include "runtime/methods/parallelspec.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/find_pair_counts.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/loaded_parallelspec.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/methods/tree_shape.h"

namespace outrider::methods {
namespace {

using Flavour = draft::ParallelSpecModel::Flavour;

// Where nothing was calibrated: a chain ends before the first depth, or a tree of so many best nodes before the first node,
// that is reached with a lower probability. Verifying less probable tokens takes longer than they save
// (results/methods.md).
constexpr double kUsualThreshold = 0.2;
constexpr const char* kUsualTree = "best:4";

/// Of tokens that are drafted one by one.
constexpr int kUsualSteps = 5;

double usual_threshold(const draft::LevelShape& shape) {
  return shape.is_chain() || shape.best_nodes > 0 ? kUsualThreshold : 0;
}

/// Tokens of a round at most, and so depths of the tree.
int length_of(const ParallelSpecSettings& settings, const draft::ParallelSpecModel& model,
              int depths) {
  const int most = model.most_drafts();
  const int usual = model.best_length > 0       ? model.best_length
                    : model.drafts_one_by_one() ? kUsualSteps
                                                : most;
  const int length = settings.draft_length.value_or(std::min(std::max(usual, depths), most));
  if (length < 1 || length > most)
    throw InputError(fmt::format(
        "--draft-length: expected 1 to {}, the most that {} drafts in a round, found {}", most,
        settings.draft, length));
  return length;
}

/// The tree of a trial, without the depths that are not drafted.
std::string tree_of_length(const std::string& tree, int length) {
  draft::LevelShape shape = parse_tree(tree);
  shape.widths.resize(std::min(shape.widths.size(), static_cast<std::size_t>(std::max(0, length))));
  return shape.tree();
}

/// Fills in the weight.
draft::PairWeights pair_weights_of(const MethodTarget& target, const std::string& artifacts,
                                   ParallelSpecSettings& use) {
  if (use.verify == "rejection") {
    if (use.follow_weight.value_or(0) > 0)
      throw InputError(
          "--follow-weight: not with --verify rejection, whose tokens are drawn from what their "
          "own depth gives; expected 0");
    use.follow_weight = 0;
  }
  draft::PairWeights pair_weights = find_pair_weights(target, artifacts, use.follow_weight);
  use.follow_weight = pair_weights.weight;
  return pair_weights;
}

}  // namespace

std::string ParallelSpec::name() const { return draft::method_of(flavour_); }

void ParallelSpec::visit_own(SettingVisitor& visitor) {
  const bool is_ar = flavour_ == Flavour::kEagleAr;
  visit_draft(visitor, settings.draft, "an artifact file");
  visit_draft_length(
      visitor, settings.draft_length,
      fmt::format("{}; none where `calibrate parallelspec` predicts less than {} times the speed "
                  "of plain decoding",
                  is_ar ? fmt::format("{}", kUsualSteps)
                        : "as many as the drafter's file names, or all that it drafts at once",
                  kLeastDraftSpeedUp));
  visitor.text({"tree",
                "the form of a draft: chain; or the children of every node by depth, such as "
                "3,2,1, where deeper nodes have one; or best:6, the 6 nodes whose paths are the "
                "most probable ones by the drafter's own estimate, fewer where --draft-threshold "
                "leaves fewer; without this flag the fastest, or smaller and at most 1 % slower, "
                "on this machine by what `calibrate parallelspec` found, otherwise best:4, or "
                "chain with --method eagle-ar or --verify rejection",
                "FORM"},
               {}, settings.tree);
  visit_draft_threshold(
      visitor, settings.threshold,
      fmt::format(
          "before the first depth whose probability of being reached is below it; without this "
          "flag what `calibrate parallelspec` found, or {} with --tree chain or best, else 0",
          kUsualThreshold));
  visitor.real(
      {"follow-weight",
       "weight of pair counts in the ranking of a depth's tokens: a token's logit, plus this times "
       "log p(token | token before it) - log p(token) by the counts of `calibrate pair-counts`; 0: "
       "logits alone, as published; without this flag 0.6 where there are counts, and 0 with "
       "--method eagle-ar, whose logits know the token before, or --verify rejection"},
      {0, 10}, settings.follow_weight);
  visit_draft_threads(visitor, settings.draft_threads);
  visit_verify(visitor, settings.verify, "rejection not with --tree best");
}

int ParallelSpec::longest_draft(const MethodTarget& target) const {
  ParallelSpecSettings use = settings;
  resolve_draft_threads(target, use.draft_threads);
  return load_parallelspec(target, flavour_, use.draft, use.artifacts, *use.draft_threads)
      ->model->most_drafts();
}

cost::Preference ParallelSpec::preference() const {
  return [](const cost::Trial& one, const cost::Trial&) { return one.drafted_per_round(); };
}

OwnDrafters ParallelSpec::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<ParallelSpec>(*this);
  ParallelSpecSettings& use = resolved->settings;
  find_parallelspec(target, flavour_, use.draft, use.artifacts);
  std::optional<double> speed_up;
  double share = 0;  // of a drafted token, as far as times are known
  // Of the setting as given: settings can be in another file than the drafter. They are of coupled drafts.
  if (use.verify != "rejection")
    if (const auto found = find_calibrated_trials(
            target, parallelspec_to_find(target, flavour_, use.draft, settings.artifacts))) {
      const bool is_given = !found->given_by(*resolved).empty();
      if (const cost::Trial* const best =
              found->take(*resolved, use.draft_threads, is_given ? nullptr : &use.draft_length)) {
        speed_up = found->tried.speed_up(*best);
        if (settings.tree.empty()) use.tree = tree_of_length(use.tree, *use.draft_length);
        use.artifacts = found->file;
        // A drafter's pass, divided among the tokens of a round.
        share = found->drafting.share_of(1 + *use.draft_length) / std::max(1, *use.draft_length);
      }
    }
  const bool only_chains = flavour_ == Flavour::kEagleAr || use.verify == "rejection";
  if (use.tree.empty()) use.tree = only_chains ? "chain" : kUsualTree;
  resolve_draft_threads(target, use.draft_threads);
  const auto loaded =
      load_parallelspec(target, flavour_, use.draft, use.artifacts, *use.draft_threads);
  draft::ParallelSpecDrafterOptions options;
  const draft::LevelShape form = parse_tree(use.tree);
  options.widths = form.widths;
  options.best_nodes = form.best_nodes;
  const bool drafts_nothing = use.draft_length == 0 && !settings.draft_length;
  if (!drafts_nothing) use.draft_length = length_of(use, *loaded->model, form.length);
  options.length = *use.draft_length;
  check_tree(options.shape());
  use.threshold = options.threshold = use.threshold.value_or(usual_threshold(options.shape()));
  options.verification = verification(use.verify);
  if (use.verify == "rejection" && options.best_nodes > 0)
    throw InputError(
        fmt::format("--verify rejection: expected --tree chain, or children by depth such as "
                    "3,2,1, found {}: the best nodes are not drawn at random",
                    use.tree));
  if (flavour_ == Flavour::kEagleAr) use.follow_weight = use.follow_weight.value_or(0);
  options.pair_weights = pair_weights_of(target, settings.artifacts, use);
  return {.resolved = std::move(resolved),
          .new_drafter = [loaded, options] { return methods::new_drafter(loaded, options); },
          .artifacts = settings.artifacts,
          .speed_up = speed_up,
          .step_share = share};
}

}  // namespace outrider::methods
