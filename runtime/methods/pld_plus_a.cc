#include "runtime/methods/pld_plus_a.h"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/calibrated_copies.h"
#include "runtime/methods/heads_text.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// The first heads of the ranking; without a count as many as calibration chose.
std::string first_heads(const draft::PldPlusHeads& found, std::optional<std::int64_t> count) {
  const std::int64_t all = std::ssize(found.ranking) / 2;
  if (count && (*count < 1 || *count > all))
    throw InputError(
        fmt::format("--heads: expected 1 to {} of the ranking, found {}", all, *count));
  std::vector<engine::Head> heads;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count.value_or(found.chosen)); ++i)
    heads.push_back({found.ranking[2 * i], found.ranking[2 * i + 1]});
  return heads_text(heads);
}

/// Whether both are the same set of heads.
bool same_heads(const std::string& one, const std::string& other) {
  const auto set_of = [](const std::string& text) {
    std::set<std::pair<int, int>> heads;
    for (const engine::Head& head : parse_heads(text)) heads.insert({head.layer, head.head});
    return heads;
  };
  return set_of(one) == set_of(other);
}

std::vector<engine::Head> checked_heads(const std::string& text, const model::ModelConfig& config) {
  std::vector<engine::Head> heads = parse_heads(text);
  std::set<std::pair<int, int>> seen;
  for (const engine::Head& head : heads) {
    if (head.layer > config.layers || head.head >= config.heads)
      throw InputError(
          fmt::format("--heads: expected layers from 1 to {} and heads from 0 to {}, found {}:{}",
                      config.layers, config.heads - 1, head.layer, head.head));
    if (!seen.insert({head.layer, head.head}).second)
      throw InputError(fmt::format("--heads: {}:{} is given twice", head.layer, head.head));
  }
  return heads;
}

}  // namespace

std::string PldPlusA::summary() const {
  return "copies from the position with the most attention of the target's heads";
}

void PldPlusA::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kLengthHelp);
  visitor.text({"heads",
                "the heads whose attention ranks sources, or how many of the artifact's; without "
                "this flag as many as calibration chose",
                "LAYER:HEAD,..."},
               {}, settings.heads);
  visitor.text({"aggregation",
                "how the heads' attention is combined: max or sum; without this flag the "
                "artifact's, or max"},
               {"max", "sum"}, settings.aggregation);
  visit_branches(visitor, settings.branches);
}

void PldPlusA::copy_whole() {
  settings.draft_length = settings.draft_length.value_or(kDraftLength);
}

OwnDrafters PldPlusA::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<PldPlusA>(*this);
  PldPlusASettings& use = resolved->settings;
  const auto count = parse_integer(use.heads);
  const bool named = !use.heads.empty() && !count;
  const Calibrated calibrated =
      find_calibrated(target, use.artifacts, artifacts::kPldPlusHeads, "calibrate heads");
  if (!named && calibrated.file == nullptr)
    throw InputError(
        fmt::format("--heads: expected LAYER:HEAD,… with --method pld-plus-a, or --artifacts FILE "
                    "with the results of `calibrate heads -m {}`",
                    target.model().path.string()));
  CalibratedCopies known;
  if (calibrated.file != nullptr) {
    const draft::PldPlusHeads found =
        artifacts::read_pld_plus_heads(calibrated.file->reader(), artifacts::kPldPlusHeads);
    if (!named) use.heads = first_heads(found, count);
    if (use.aggregation.empty()) use.aggregation = found.aggregation;
    if (use.draft_length.value_or(0) == 0)
      known = CalibratedCopies::of(target, name(), settings.artifacts, found);
    // A length applies to other heads too, lengths by step to those alone whose scores they are of.
    if (!same_heads(use.heads, first_heads(found, {})) || use.aggregation != found.aggregation)
      known.by_step.reset();
  }
  if (use.aggregation.empty()) use.aggregation = "max";
  draft::PldPlusAOptions options = {.heads = checked_heads(use.heads, target.model().config)};
  options.lengths = known.take(target, *resolved, use.draft_length, 1);
  options.aggregation =
      use.aggregation == "sum" ? draft::Aggregation::kSum : draft::Aggregation::kMax;
  options.draft_length = *use.draft_length;
  options.branches = use.branches;
  return {.resolved = std::move(resolved),
          .new_drafter = [options] { return std::make_unique<draft::PldPlusA>(options); },
          .artifacts = use.artifacts};
}

std::unique_ptr<Method> new_pld_plus_a() { return std::make_unique<PldPlusA>(); }

}  // namespace outrider::methods
