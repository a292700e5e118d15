#include "runtime/methods/pld_plus_settings.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/draft/copy/pld_plus.h"
#include "runtime/methods/calibrated.h"

namespace outrider {
namespace {

using engine::Head;

Head parse_head(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto layer = parse_integer(text.substr(0, colon));
  const auto head = parse_integer(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!layer || !head || *layer < 1 || *head < 0 || *layer > 9999 || *head > 9999) {
    throw InputError(
        fmt::format("--heads: expected LAYER:HEAD,… such as 12:3,14:5 (layers from 1, heads from "
                    "0), found '{}'",
                    text));
  }
  return {static_cast<int>(*layer), static_cast<int>(*head)};
}

/// [1 + longest] What passes of 1, 2, … rows cost: here, if that was measured, or where lengths were found.
std::vector<double> pass_seconds(const draft::PldPlusSettings& found,
                                 const artifacts::ArtifactSet& known,
                                 const engine::Engine& engine) {
  const auto here = artifacts::measured_cost(known, engine);
  if (!here) return found.by_step->seconds;
  std::vector<double> seconds;
  for (int rows = 1; rows <= 1 + found.by_step->longest(); ++rows)
    seconds.push_back(here->seconds({cost::Shape::kChain, rows, found.context}));
  return seconds;
}

/// The length of drafts and the threshold, where flags do not say them: whichever was found to be faster,
/// one length or one for each step, in answers at the temperature nearest to the one asked for.
/// @param same_scores  whether places are scored as where these were found; a length alone serves with
///                     other scores too
void take_lengths(DecodeOptions& options, const std::vector<draft::PldPlusSettings>& all,
                  bool same_scores, const artifacts::ArtifactSet& known,
                  const engine::Engine& engine) {
  const auto& found = draft::nearest_settings(all, options.sampler.temperature);
  const bool there = found.by_step && same_scores;
  if (there && options.draft_length.value_or(found.by_step->is_faster() ? 0 : 1) == 0) {
    options.draft_length = 0;
    options.draft_lengths = std::make_shared<draft::DraftLengths>(
        *found.by_step, pass_seconds(found, known, engine), found.draft_length);
    return;
  }
  options.draft_length = options.draft_length.value_or(found.draft_length);
  if (same_scores) options.threshold = options.threshold.value_or(found.threshold);
}

/// The first heads of the ranking, as many as it chose if no count is given.
std::string first_heads(const draft::PldPlusHeads& found, std::optional<std::int64_t> count) {
  const std::int64_t all = std::ssize(found.ranking) / 2;
  if (count && (*count < 1 || *count > all))
    throw InputError(
        fmt::format("--heads: expected 1 to {} of the ranking, found {}", all, *count));
  std::vector<Head> heads;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count.value_or(found.chosen)); ++i)
    heads.push_back({found.ranking[2 * i], found.ranking[2 * i + 1]});
  return heads_text(heads);
}

/// Whether they are the same, in whatever order.
bool same_heads(const std::string& one, const std::string& other) {
  const auto set_of = [](const std::string& text) {
    std::set<std::pair<int, int>> heads;
    for (const Head& head : parse_heads(text)) heads.insert({head.layer, head.head});
    return heads;
  };
  return set_of(one) == set_of(other);
}

void check_heads(const DecodeOptions& options, const model::ModelConfig& config) {
  std::set<std::pair<int, int>> seen;
  for (const Head& head : parse_heads(options.heads)) {
    if (head.layer > config.layers || head.head >= config.heads) {
      throw InputError(
          fmt::format("--heads: expected layers from 1 to {} and heads from 0 to {}, found {}:{}",
                      config.layers, config.heads - 1, head.layer, head.head));
    }
    if (!seen.insert({head.layer, head.head}).second)
      throw InputError(fmt::format("--heads: {}:{} is given twice", head.layer, head.head));
  }
}

}  // namespace

std::vector<Head> parse_heads(const std::string& text) {
  std::vector<Head> heads;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    heads.push_back(parse_head(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return heads;
}

std::string heads_text(const std::vector<Head>& heads) {
  std::vector<std::string> texts;
  for (const Head& head : heads) texts.push_back(fmt::format("{}:{}", head.layer, head.head));
  return fmt::format("{}", fmt::join(texts, ","));
}

void settle_pld_plus_h(DecodeOptions& options, const model::Model& model,
                       const engine::Engine& engine) {
  const artifacts::ArtifactSet known = artifacts_of(options, model);
  const auto* file = calibrated(options, known, artifacts::kPldPlusLayer, "calibrate layer");
  if (!options.layer && file == nullptr) {
    throw InputError(fmt::format(
        "--layer: expected with --method pld-plus-h, or --artifacts FILE with what `calibrate "
        "layer -m {}` found",
        options.model));
  }
  if (file != nullptr) {
    const draft::PldPlusLayer found =
        artifacts::read_pld_plus_layer(file->reader(), artifacts::kPldPlusLayer);
    options.layer = options.layer.value_or(found.chosen);
    const bool same_states = *options.layer == found.chosen;
    if (same_states) options.logit_weight = options.logit_weight.value_or(found.logit_weight);
    // Scores are cosines with any weight.
    take_lengths(options, found.settings, same_states, known, engine);
  }
  const int layers = model.config.layers;
  if (*options.layer > layers)
    throw InputError(fmt::format("--layer: expected 0 to {}, the model's last, found {}", layers,
                                 *options.layer));
}

void settle_pld_plus_a(DecodeOptions& options, const model::Model& model,
                       const engine::Engine& engine) {
  const auto count = parse_integer(options.heads);
  const bool named = !options.heads.empty() && !count;
  const artifacts::ArtifactSet known = artifacts_of(options, model);
  const auto* file = calibrated(options, known, artifacts::kPldPlusHeads, "calibrate heads");
  if (!named && file == nullptr) {
    throw InputError(fmt::format(
        "--heads: expected LAYER:HEAD,… with --method pld-plus-a, or --artifacts FILE with what "
        "`calibrate heads -m {}` found",
        options.model));
  }
  if (file != nullptr) {
    const draft::PldPlusHeads found =
        artifacts::read_pld_plus_heads(file->reader(), artifacts::kPldPlusHeads);
    if (!named) options.heads = first_heads(found, count);
    if (options.aggregation.empty()) options.aggregation = found.aggregation;
    const bool chosen = same_heads(options.heads, first_heads(found, {})) &&
                        options.aggregation == found.aggregation;
    take_lengths(options, found.settings, chosen, known, engine);
  }
  check_heads(options, model.config);
}

draft::Aggregation aggregation_of(const DecodeOptions& options) {
  return options.aggregation == "sum" ? draft::Aggregation::kSum : draft::Aggregation::kMax;
}

std::unique_ptr<draft::Drafter> make_pld_plus_h(const DecodeOptions& options) {
  return std::make_unique<draft::PldPlusH>(
      draft::PldPlusHOptions{.layer = options.layer.value(),
                             .draft_length = options.draft_length.value_or(kDraftLength),
                             .threshold = options.threshold.value_or(-1),
                             .branches = options.branches,
                             .lengths = options.draft_lengths,
                             .logit_weight = options.logit_weight.value_or(0)});
}

std::unique_ptr<draft::Drafter> make_pld_plus_a(const DecodeOptions& options) {
  return std::make_unique<draft::PldPlusA>(
      draft::PldPlusAOptions{.heads = parse_heads(options.heads),
                             .aggregation = aggregation_of(options),
                             .draft_length = options.draft_length.value_or(kDraftLength),
                             .branches = options.branches,
                             .lengths = options.draft_lengths});
}

}  // namespace outrider
