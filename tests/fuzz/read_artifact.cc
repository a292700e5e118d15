#include "tests/fuzz/read_artifact.h"

#include <cmath>
#include <cstdlib>

#include "runtime/artifacts/acceptance_group.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/disco_group.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/report/drafter_costs_text.h"
#include "runtime/report/pld_plus_report.h"
#include "runtime/report/trials_text.h"
#include "tests/fuzz/hdf5_pieces.h"

namespace outrider::fuzz {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const std::vector<draft::PldPlusTemperature>& all) {
  require(!all.empty());
  for (const draft::PldPlusTemperature& one : all) {
    if (!one.by_step) continue;
    const draft::PldPlusLengths& lengths = *one.by_step;
    const draft::DraftLengths chosen(lengths, lengths.seconds, lengths.otherwise);
    require(chosen.by_class().size() == lengths.classes());
    for (const int length : chosen.by_class())
      require(length == lengths.otherwise || (length >= 0 && length <= lengths.longest()));
    for (const float score : {-2.0F, 0.0F, 2.0F})
      for (const int matching : {1, 5, 1 << 20})
        require(lengths.class_of(score, matching) < lengths.classes());
    require(lengths.gain() >= 1 || std::isnan(lengths.tokens_per_second));
  }
}

void check(const draft::PldPlusHeads& found) {
  require(found.ranking.size() == 2 * static_cast<std::size_t>(found.layers * found.heads));
  require(2 * static_cast<std::size_t>(found.chosen) <= found.ranking.size());
  check(found.temperatures);
  require(!found.choice().empty());
  require(!report::pld_plus_heads_text(found).empty());
}

void check(const draft::PldPlusLayer& found) {
  require(static_cast<std::size_t>(found.chosen) < found.by_layer.size());
  check(found.temperatures);
  require(!found.choice().empty());
  require(!report::pld_plus_layer_text(found).empty());
}

void check(const draft::NgramTables& tables, int vocab) {
  require(tables.vocab() == vocab && tables.log_probs.size() == tables.next.size());
  for (const Token token : {0, vocab - 1}) {
    require(tables.next_of(token).size() == static_cast<std::size_t>(tables.top));
    for (int rank = 0; rank < tables.top; ++rank)
      for (const Token next : tables.extension_of(token, rank)) require(next >= 0 && next < vocab);
  }
}

void check(const cost::Trials& all) {
  const cost::CostModel passes({{{cost::Shape::kChain, 1, 0}, 1}, {{cost::Shape::kTree, 1, 0}, 1}});
  const cost::DraftingCost drafting = {.rows = {1, 2}, .shares = {0.1, 0.2}};
  for (cost::TemperatureTrials one : all.by_temperature) {
    one.price(cost::TrialPrices::at(one.temperature, passes, 0, drafting));
    const cost::SettingValues given = {{"children", 3.0}, {"draft-length", 2.0}};
    require(one.best(all.names, given, {}) != nullptr);
    require(one.best(all.names, {},
                     [](const auto& trial, const auto&) { return trial.drafted_per_round(); })
                ->rounds > 0);
  }
  require(!report::trials_text(all, {}, {}).empty());
  require(!report::trials_text(all, {{"m", passes, drafting}}, {}).empty());
}

void check(const cost::DraftingCost& drafting) {
  require(drafting.rows.empty() || drafting.share_of(1) > 0);
  require(drafting.share_of(1 << 20) >= 0);
  if (!drafting.passes.empty())
    require(cost::CostModel(drafting.passes).seconds({cost::Shape::kTree, 3, 10}) > 0);
}

void check(const cost::MachineCost& measured) {
  for (const cost::ThreadsCost& cost : measured.passes) {
    const auto model = measured.model(cost.threads);
    if (!model) continue;
    for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
      for (const int rows : {1, 7, 1000})
        for (const int sequences : {1, 3}) model->seconds({shape, rows, 100, sequences});
  }
  report::drafter_costs_text(measured.drafters);
}

void check(const artifacts::TrainedStop& stop) {
  for (const char* policy : artifacts::TrainedStop::kPolicies) {
    require(cost::number_of(stop.chosen.at(policy), "draft-length") >= 1);
    require(stop.best(policy).rounds > 0);
  }
  require(stop.predicted.size() == stop.share.size() && stop.accepted.size() == stop.share.size());
  const double accepted = draft::logistic(stop.classifier.logit({1, 0, 0, 1, 2}));
  require(accepted >= 0 && accepted <= 1);
}

void check(const artifacts::TrainedDisco& found) {
  for (const double temperature : {0.0, 0.5, 1e9}) check(found.nearest(temperature));
}

model::Model target_of(const artifacts::ArtifactFile& file) {
  model::Model target;
  target.config.vocab = file.target().vocab;
  target.config.width = file.target().width;
  target.config.layers = file.target().layers;
  return target;
}

void check_matrix(const model::Weight& matrix) {
  std::vector<float> row(static_cast<std::size_t>(matrix.columns));
  matrix.read_row(matrix.rows - 1, row.data());
  for (const float number : row) require(std::isfinite(number));
}

void check(const model::Model& draft, const model::Model& target) {
  require(std::ssize(draft.layers) == draft.config.layers);
  require(draft.head_tokens.empty() ? draft.head.rows == target.config.vocab
                                    : draft.head.rows == std::ssize(draft.head_tokens));
  require(draft.head_tokens.empty() || draft.head_tokens.back() < target.config.vocab);
  check_matrix(draft.head);
  if (!draft.layers.empty()) check_matrix(draft.layers.back().up);
}

void check_parallelspec(const artifacts::ArtifactFile& file,
                        draft::ParallelSpecModel::Flavour flavour) {
  const model::Model target = target_of(file);
  const draft::ParallelSpecModel drafter = artifacts::read_parallelspec(file, target, flavour);
  check(drafter.layer, target);
  require(drafter.layer.layers.empty() == drafter.has_heads());
  if (drafter.has_heads()) check_matrix(drafter.residual.head);
  require((drafter.masks() >= 1) != drafter.drafts_one_by_one());
  require(drafter.best_length <= drafter.most_drafts());
  require(drafter.layer.state_projection.columns == drafter.layer.config.state_inputs);
  for (const auto* masks : {&drafter.mask_embeddings, &drafter.mask_features})
    for (const float number : *masks) require(std::isfinite(number));
}

}  // namespace

void read_groups(const artifacts::ArtifactFile& file) {
  using namespace artifacts;
  require(file.target().vocab > 0 && file.target().layers > 0);
  for (const std::string& group : file.groups()) {
    require(file.has(group));
    read_provenance(file.reader(), group);
    if (group == kPldPlusHeads) check(read_pld_plus_heads(file.reader(), group));
    if (group == kPldPlusLayer) check(read_pld_plus_layer(file.reader(), group));
    if (group == kNgrammys) check(read_ngrammys(file), file.target().vocab);
    if (group == kDraft) check(read_draft(file, target_of(file)), target_of(file));
    for (const auto flavour : draft::kFlavours)
      if (group == parallelspec_group(flavour)) check_parallelspec(file, flavour);
    if (group == kPairCounts) {
      const draft::PairCounts pair_counts = read_pair_counts(file);
      require(pair_counts.vocab() == file.target().vocab);
      for (const auto& [before, token, count] : pair_counts.pairs())
        require(std::isfinite(pair_counts.gain(before, token)) && count > 0);
    }
    if (group == kDisco || group == kStopClassifier) check(read_disco(file.reader(), group));
    if (group.starts_with("/acceptance/"))
      for (const auto& [temperature, table] : read_acceptance(file, group))
        for (const draft::AcceptanceTable::Cell& cell : table.cells())
          require(cell.accepted <= cell.offered && std::isfinite(temperature));
    if (group.starts_with("/trials/")) check(read_trials(file.reader(), group));
    if (is_cost_group(group)) check(read_cost(file.reader(), group));
    if (group.find("/drafting/") != std::string::npos)
      check(read_drafting_cost(file.reader(), group));
  }
}

void read_artifact(std::span<const std::byte> pieces) {
  read_groups(artifacts::ArtifactFile(hdf5::Reader(file_of_pieces(pieces), "fuzzed.h5")));
}

}  // namespace outrider::fuzz
