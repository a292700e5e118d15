#include "tests/fuzz/artifact_seeds.h"

#include <functional>

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/disco_group.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/draft/parallelspec/head_config.h"
#include "tests/fuzz/hdf5_pieces.h"
#include "tests/support/some_disco.h"
#include "tests/support/some_trials.h"

namespace outrider::fuzz {
namespace {

/// A file with one group, of a target with a few tokens and layers.
std::string with_group(const std::string& group,
                       const std::function<void(hdf5::Writer&, const std::string&)>& fill) {
  hdf5::Writer file;
  artifacts::write_target({"m.gguf", "01", "23", 4, 8, 2}, file);
  artifacts::write_provenance({"a tool", "[a]\n", 7, "", "1", "2026-01-31T23:59:59Z"}, group, file);
  fill(file, group);
  return pieces_of_file(file.finish());
}

std::vector<draft::PldPlusTemperature> temperatures() {
  draft::PldPlusLengths lengths;
  lengths.score_bounds = {0.5F};
  lengths.match_bounds = {2};
  lengths.sources = {30, 20, 40, 5};
  lengths.accepted = {20, 10, 5, 0, 40, 1, 5, 5};
  lengths.seconds = {0.5, 0.625, 0.75};
  lengths.otherwise = 4;
  lengths.machine = "some machine";
  lengths.tokens_per_second = 300;
  lengths.fixed_tokens_per_second = 290;
  return {{0, lengths}, {1}};
}

std::string heads() {
  draft::PldPlusHeads found;
  found.layers = 2;
  found.heads = 1;
  found.tasks = {"", "qa"};
  found.tokens = {9, 8, 7, 6};
  found.hits = {9, 1, 8, 2, 7, 3, 6, 4};
  found.ranking = {2, 0, 1, 0};
  found.sweep_heads = {1, 2};
  found.sweep = found.layer_sweep = {1, 2, 3, 4};
  found.draft_length = 10;
  found.chosen = 1;
  found.aggregation = "max";
  found.temperatures = temperatures();
  found.sweep_at = {1, 2, 3, 4, 5, 6, 7, 8};
  return with_group(artifacts::kPldPlusHeads, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_pld_plus_heads(found, file, group);
  });
}

std::string layer() {
  draft::PldPlusLayer found;
  found.by_layer = {1, 2, 3};
  found.draft_length = 10;
  found.chosen = 2;
  found.by_mean = {3, 2};
  found.logit_weights = {0, 0.5};
  found.by_logit_weight = {1, 2};
  found.by_logit_weight_at = {1, 2, 3, 4};
  found.logit_weight = 0.5;
  found.temperatures = temperatures();
  found.by_layer_at = {1, 2, 3, 4, 5, 6};
  return with_group(artifacts::kPldPlusLayer, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_pld_plus_layer(found, file, group);
  });
}

std::string ngrammys() {
  draft::NgramTables tables;
  tables.unigram = {3, 2, 1, 0};
  tables.unigram_measure = "inner";
  tables.top = 2;
  tables.next = {0, 1, 1, 2, 2, 3, 3, 0};
  tables.log_probs = {-1, -2, -1, -2, -1, -2, -1, -2};
  tables.bigram_context = "none";
  tables.extended_rows = 1;
  tables.extended_length = 2;
  tables.extended = tables.next;
  tables.numerics = "int8";
  tables.tokens_per_pass = {{"bigram_none", 1.5}};
  return with_group(artifacts::kNgrammys, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_ngrammys(tables, file, group);
  });
}

/// A layer of one head of width 2, over 8 numbers and 4 tokens.
model::Model one_layer() {
  model::Model made;
  made.config = {.architecture = "llama",
                 .layers = 1,
                 .width = 8,
                 .heads = 1,
                 .kv_heads = 1,
                 .head_width = 2,
                 .ffn_width = 3,
                 .vocab = 4,
                 .context = 16,
                 .windows = {},
                 .rope_base = 1e4F,
                 .rotary_width = 2,
                 .rope_divisors = {1},
                 .long_rope_divisors = {},
                 .rotates = {},
                 .norm_epsilon = 1e-5F};
  const auto fill = [&made](model::Weight& weight, std::int64_t rows, std::int64_t columns) {
    weight.rows = rows;
    weight.columns = columns;
    weight.bytes = made.keep(std::vector<std::byte>(static_cast<std::size_t>(4 * rows * columns)));
  };
  model::LayerWeights& layer = made.layers.emplace_back();
  for (model::Weight* norm : {&layer.attn_norm, &layer.ffn_norm, &made.final_norm})
    fill(*norm, 1, 8);
  for (model::Weight* matrix : {&layer.q, &layer.k, &layer.v}) fill(*matrix, 2, 8);
  for (model::Weight* matrix : {&layer.gate, &layer.up}) fill(*matrix, 3, 8);
  fill(layer.o, 8, 2);
  fill(layer.down, 8, 3);
  made.head_tokens = {1, 3};
  fill(made.head, 2, 8);
  return made;
}

std::string draft() {
  return with_group(artifacts::kDraft, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_draft(one_layer(), std::vector{2}, file, group);
  });
}

/// Two heads over the same numbers and tokens.
draft::ParallelSpecModel two_heads() {
  draft::ParallelSpecModel made;
  made.flavour = draft::ParallelSpecModel::Flavour::kMedusaHeads;
  made.token_inputs = false;
  made.layer = one_layer();
  made.layer.layers.clear();
  made.layer.config = draft::head_config(8, 4);
  made.residual.config = draft::head_config(8, 0);
  made.residual.head = {.name = "residual",
                        .rows = 16,
                        .columns = 8,
                        .bytes = made.residual.keep(std::vector<std::byte>(4 * 16 * 8)),
                        .row_order = {}};
  return made;
}

draft::ParallelSpecModel with_a_layer(draft::ParallelSpecModel::Flavour flavour) {
  draft::ParallelSpecModel made;
  made.flavour = flavour;
  made.layer = one_layer();
  if (!made.drafts_one_by_one()) made.mask_embeddings.assign(2 * 8, 1);
  if (flavour == draft::ParallelSpecModel::Flavour::kEagle) made.mask_features.assign(2 * 8, 2);
  if (draft::ParallelSpecModel::reads_pairs(flavour)) {
    made.layer.config.state_inputs = 16;
    made.layer.final_norm = {};
    made.layer.state_projection = {.name = "fc",
                                   .rows = 8,
                                   .columns = 16,
                                   .bytes = made.layer.keep(std::vector<std::byte>(4 * 8 * 16)),
                                   .row_order = {}};
  }
  return made;
}

std::string parallel(draft::ParallelSpecModel::Flavour flavour) {
  const bool heads = flavour == draft::ParallelSpecModel::Flavour::kMedusaHeads;
  const draft::ParallelSpecModel made = heads ? two_heads() : with_a_layer(flavour);
  return with_group(artifacts::parallelspec_group(flavour),
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_parallelspec(made, file, group);
                    });
}

std::string machine_cost() {
  cost::MachineCost made;
  made.machine = "m";
  made.numerics = "int8";
  made.isa = "scalar";
  cost::ThreadsCost& cost = made.passes.emplace_back();
  for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
    for (const int rows : {1, 8})
      cost.passes.push_back({{shape, rows, 100}, false, {1.0 * rows, 0.5 * rows, 2.0 * rows}});
  cost.passes.push_back({{cost::Shape::kChain, 16, 100, 4}, false, {20, 18, 22}});
  cost.passes.push_back({{cost::Shape::kChain, 4, 100}, true, {4, 3, 5}});
  made.drafters = {{25, 500}, {{"pld", {2, 3}, {1, 2}, {4, 5}}}};
  return with_group(artifacts::cost_group("m"), [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_cost(made, file, group);
  });
}

std::string draft_trials() {
  const cost::Trials made = {"01",
                             300,
                             cost::kStopNames,
                             {{0,
                               9,
                               {test::stopped_rounds("static", 3, 0, 4, 8, 3),
                                test::stopped_rounds("path", 3, 0.5, 4, 7, 2)}}}};
  return with_group(artifacts::trials_group("ssd"),
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_trials(made, file, group);
                    });
}

std::string graph_trials() {
  return with_group(artifacts::trials_group("gsd"),
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_trials(test::some_graph_trials("01", true), file, group);
                    });
}

std::string grid_trials() {
  const auto trial = [](double drafts, cost::Shape shape, int verified) {
    return test::two_rounds({{"drafts", drafts}, {"draft-length", 3.0}}, shape, 4, verified, {});
  };
  const cost::Trials made = {
      "",
      77,
      {"drafts", "draft-length"},
      {{1, 9, {trial(1, cost::Shape::kChain, 4), trial(4, cost::Shape::kTree, 12)}}}};
  return with_group(artifacts::trials_group("ngrammys"),
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_trials(made, file, group);
                    });
}

std::string pair_counts() {
  return with_group(artifacts::kPairCounts, [](hdf5::Writer& file, const std::string& group) {
    artifacts::write_pair_counts({{3, 5, 0, 2}, {{0, 1, 2}, {1, 0, 1}, {1, 3, 2}}}, file, group);
  });
}

std::string tree_trials() {
  return with_group(artifacts::trials_group("parallelspec-eagle"),
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_trials(test::some_tree_trials("01"), file, group);
                    });
}

std::string drafting_cost() {
  return with_group(artifacts::drafting_cost_group("m", "gsd"),
                    [&](hdf5::Writer& file, const std::string& group) {
                      cost::DraftingCost made = test::some_drafting_cost("01");
                      made.passes = test::some_passes(0.5, 1);
                      artifacts::write_drafting_cost(made, file, group);
                    });
}

std::string disco() {
  artifacts::TrainedDisco made = test::some_disco("01");
  made.by_temperature.resize(1);
  return with_group(artifacts::kDisco, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_disco(made, file, group);
  });
}

/// With every occurrence of one text replaced by another.
std::string with(std::string pieces, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = pieces.find(from, at)) != std::string::npos; at += to.size())
    pieces.replace(at, from.size(), to);
  return pieces;
}

}  // namespace

std::map<std::string, std::string> artifact_seeds() {
  return {{"valid_heads", heads()},
          {"valid_layer", layer()},
          {"valid_ngrammys", ngrammys()},
          {"valid_grid_trials", grid_trials()},
          {"valid_cost", machine_cost()},
          {"valid_disco", disco()},
          {"valid_draft", draft()},
          {"valid_ssd_trials", draft_trials()},
          {"valid_gsd_trials", graph_trials()},
          {"valid_parallelspec_trials", tree_trials()},
          {"valid_drafting_cost", drafting_cost()},
          {"valid_pair_counts", pair_counts()},
          {"valid_parallelspec_eagle", parallel(draft::ParallelSpecModel::Flavour::kEagle)},
          {"valid_parallelspec_medusa", parallel(draft::ParallelSpecModel::Flavour::kMedusa)},
          {"valid_eagle_ar", parallel(draft::ParallelSpecModel::Flavour::kEagleAr)},
          {"valid_medusa_heads", parallel(draft::ParallelSpecModel::Flavour::kMedusaHeads)},
          {"no_heads", with(parallel(draft::ParallelSpecModel::Flavour::kMedusaHeads),
                            "medusa_heads/residual", "medusa_heads/residuel")},
          {"no_masks", with(parallel(draft::ParallelSpecModel::Flavour::kEagle), "mask_features",
                            "mask_feetures")},
          {"no_classifier", with(disco(), "/classifier/hidden", "/klassifier/hidden")},
          {"other_type", with(draft(), "F32", "F99")},
          {"no_target", with(ngrammys(), "/target/format", "/tarjet/format")},
          {"no_tables", with(ngrammys(), "/bigram/next", "/bigram/nixt")},
          {"other_aggregation", with(heads(), "max", "mix")},
          {"no_accepted", with(layer(), "/accepted", "/aksepted")},
          {"no_passes", with(machine_cost(), "/passes/seconds_low", "/passes/secondz_low")}};
}

}  // namespace outrider::fuzz
