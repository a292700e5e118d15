#include "runtime/methods/wrap.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/base/error.h"
#include "runtime/draft/copy/predicted_text.h"
#include "runtime/draft/copy_first.h"
#include "runtime/draft/guarded.h"
#include "runtime/draft/with_sources.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/copier.h"
#include "runtime/methods/known_acceptance.h"
#include "runtime/methods/loaded_reference.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/methods/sources.h"

namespace outrider::methods {
namespace {

using NewDrafter = PreparedMethod::NewDrafter;

/// The least speed-up of a copy where that of the method's own drafts is not known.
constexpr double kDefaultCopySpeedUp = 1.5;

void check(const WrapSettings& settings, const std::string& name, const Capabilities& of_own) {
  if (settings.copy_first.least_speed_up && !settings.copy_first.on)
    throw InputError("--copy-min-speed-up: only with --copy-first");
  if (!settings.reference.empty() && !of_own.copies && !settings.copy_first.on)
    throw InputError(
        fmt::format("--reference: only with --copy-first, since {} alone copies nothing", name));
  if (!settings.sources.empty() && of_own.changes_text)
    throw InputError(
        "--sources: not with --verify rejection, since the drafts of other methods are not drawn "
        "from a distribution; expected --verify coupled");
  if (settings.copy_first.on && of_own.changes_text)
    throw InputError(
        "--copy-first: not with --verify rejection, since copies are not drawn from a "
        "distribution; expected --verify coupled");
}

/// What the target's passes cost, if this machine's costs are known; else nothing.
std::vector<draft::LengthCosts> passes_of(const MethodTarget& target, const OwnDrafters& own,
                                          cost::Shape shape) {
  constexpr int kMostRows = 64;
  const auto known = known_artifacts(target, own.artifacts);
  const auto costs = machine_costs(target, *known);
  if (!costs) return {};
  return length_costs(*costs, kMostRows, target.model().config.context, shape);
}

/// What the drafts of the method cost, likewise.
std::optional<draft::DraftPrices> prices_of(const MethodTarget& target, const OwnDrafters& own) {
  auto passes = passes_of(target, own, cost::Shape::kChain);
  if (passes.empty()) return std::nullopt;
  return draft::DraftPrices{std::move(passes), own.step_share};
}

NewDrafter guarded(NewDrafter drafters, const draft::DraftPrices& prices) {
  return [prices, drafters = std::move(drafters)] {
    return std::make_unique<draft::Guarded>(drafters(), prices);
  };
}

/// The method's own drafters in one tree with those of its sources. Where it was counted how often their drafts are accepted,
/// they know it, and what rows cost.
NewDrafter with_sources(const MethodTarget& target, const OwnDrafters& own,
                        const std::vector<std::string>& names, NewDrafter drafters) {
  const auto table = known_acceptance(target, own.artifacts, own.resolved->name());
  std::vector<draft::LengthCosts> passes;
  if (table != nullptr) passes = passes_of(target, own, cost::Shape::kTree);
  return [sources = prepare_sources(target, own.artifacts, names), nodes = own.most_nodes, table,
          passes = std::move(passes), drafters = std::move(drafters)] {
    std::vector<std::unique_ptr<draft::Drafter>> others;
    for (const PreparedMethod& source : sources) others.push_back(source.new_drafter());
    auto together =
        std::make_unique<draft::WithSources>(std::move(others), drafters(), nodes, passes);
    together->set_acceptance(table);
    return together;
  };
}

NewDrafter copying_first(NewDrafter copiers, NewDrafter drafters) {
  return [copiers = std::move(copiers), drafters = std::move(drafters)] {
    return std::make_unique<draft::CopyFirst>(copiers(), drafters());
  };
}

}  // namespace

NewDrafter wrap(const MethodTarget& target, const OwnDrafters& own, const Capabilities& of_own,
                WrapSettings& settings) {
  check(settings, own.resolved->name(), of_own);
  settings.copy_first.least_speed_up = settings.copy_first.least_speed_up.value_or(
      std::max(1.0, own.speed_up.value_or(kDefaultCopySpeedUp)));
  if (settings.guard.empty()) settings.guard = "off";

  NewDrafter drafters = own.new_drafter;
  if (of_own.copies)
    drafters = with_reference(target, settings.reference, std::move(drafters), own.reference);
  if (!settings.sources.empty())
    drafters = with_sources(target, own, settings.sources, std::move(drafters));
  if (settings.guard == "on")
    if (const auto prices = prices_of(target, own))
      drafters = guarded(std::move(drafters), *prices);
  if (settings.copy_first.on)
    drafters = copying_first(new_copier(target, own.artifacts, settings), std::move(drafters));
  return drafters;
}

std::unique_ptr<draft::Drafter> with_prediction(std::unique_ptr<draft::Drafter> drafter,
                                                const std::vector<Token>& prediction, int prompt) {
  if (drafter && drafter->traits().verification != draft::Verification::kCoupled)
    throw InputError("prediction: not with verify \"rejection\"");
  auto predicted = std::make_unique<draft::PredictedText>(prediction, prompt);
  if (!drafter) return predicted;
  return std::make_unique<draft::CopyFirst>(std::move(predicted), std::move(drafter));
}

}  // namespace outrider::methods
