#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <list>
#include <numeric>
#include <string>

#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "tests/inference/tiny_target.h"
#include "tests/methods/pld_plus_results.h"
#include "tests/support/shallow_model.h"
#include "tests/support/some_trials.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::test {

/// A tiny model and an artifact file with all that methods take from one.
class CalibratedTarget {
 public:
  CalibratedTarget() {
    static const std::string all = all_results();
    std::ofstream(artifacts(), std::ios::binary) << all;
  }

  inference::Target& target() { return tiny_.target(); }
  std::string artifacts() const { return (folder_.path() / "tiny.h5").string(); }
  methods::MethodTarget for_methods(double temperature = 0) {
    return {tiny_.target().model(), tiny_.target().engine(), {}, temperature};
  }
  /// The same on a machine whose quick costs are these: a row adds `row` of a pass over one, and as much in
  /// trees; a step of the artifacts' draft model takes `step` of it with each number of threads.
  /// @param per_token  by how much a row adds more for each token of the context
  /// @param drafter    the hash of another drafter in place of the draft model
  methods::MethodTarget priced(double row, double step, double temperature = 0,
                               double per_token = 0, const std::string& drafter = {}) const {
    inference::Target& target = tiny_.target();
    const TemporaryFolder& folder = price_folders_.emplace_back();
    const cost::CostCache cache(folder.path());
    const std::string hash = artifacts::identity_of(target.model()).model_hash;
    std::vector<cost::TimedPass> passes;
    for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree})
      for (const int rows : {1, 101})
        for (const int context : {0, 100})
          passes.push_back({{shape, rows, context}, 1 + (row + per_token * context) * (rows - 1)});
    cache.write_passes(cost::QuickCosts::key_of(target.engine(), hash), passes);
    std::vector<cost::TimedSteps> steps;
    for (int threads = 1; threads <= target.engine().workers(); ++threads)
      steps.push_back({threads, step, 1});
    const std::string draft =
        drafter.empty() ? artifacts::draft_hash(artifacts::ArtifactFile(artifacts())) : drafter;
    cache.write_steps(cost::QuickCosts::key_of(target.engine(), hash, draft), steps);
    return {target.model(),
            target.engine(),
            {},
            temperature,
            std::make_shared<cost::QuickCosts>(folder.path(), Notices{[](const std::string& text) {
                                                                        ADD_FAILURE()
                                                                            << text
                                                                            << ": costs are given";
                                                                      },
                                                                      {}})};
  }

  /// A method that takes what it needs from the artifact file.
  std::unique_ptr<methods::Method> method(methods::NewMethod make) const {
    auto method = make();
    methods::fill_in(*method, "artifacts", artifacts());
    return method;
  }
  std::unique_ptr<methods::Method> method(const std::string& name) const {
    auto method = methods::new_method(name);
    methods::fill_in(*method, "artifacts", artifacts());
    return method;
  }

  /// What a message is answered with. @param drafter  nullptr: plain decoding
  std::vector<Token> answer(std::unique_ptr<draft::Drafter> drafter, const std::string& message) {
    inference::GenerationOptions options;
    options.max_new = 24;
    inference::Generation generation(target(), options, 256, std::move(drafter));
    return generation.generate({"p", ""}, inference::Dialogue(target()).ask(message)).result.tokens;
  }

  /// Stores the trials of a method.
  void write_trials(const std::string& method, const cost::Trials& trials) const {
    write(artifacts::trials_group(method), [&](hdf5::Writer& file, const std::string& group) {
      artifacts::write_trials(trials, file, group);
    });
  }
  /// Stores trials of PLD+: see test::write_copies.
  void write_copies(const std::string& method, const std::string& choice,
                    const std::vector<CopiesAt>& tried) const {
    test::write_copies(artifacts(), artifacts::identity_of(tiny_.target().model()), method, choice,
                       tried);
  }
  /// What passes of a drafter cost beside this engine.
  cost::DraftingCost drafting_cost(const std::string& drafter) const {
    const engine::Engine& engine = tiny_.target().engine();
    cost::DraftingCost measured = some_drafting_cost(drafter);
    measured.numerics = engine.numerics_name();
    measured.isa = engine.place().unit;
    measured.threads = measured.draft_threads = engine.workers();
    measured.choice_share = 0;
    return measured;
  }
  /// Stores what a method's drafting costs on a machine, where a row adds so much to a pass over one, in trees as in chains.
  void write_cost(const std::string& machine, const std::string& method,
                  const cost::DraftingCost& drafting, double row) const {
    cost::DraftingCost measured = drafting;
    measured.passes = some_passes(row, row);
    write(artifacts::drafting_cost_group(machine, method),
          [&](hdf5::Writer& file, const std::string& group) {
            artifacts::write_drafting_cost(measured, file, group);
          });
  }

  /// Replaces a group of the artifact file.
  void write(const std::string& group, const artifacts::FillGroup& fill) const {
    artifacts::replace_group(artifacts(), artifacts::identity_of(tiny_.target().model()), group, {},
                             fill);
  }

 private:
  /// The bytes of an artifact file with all of that; making one takes longer than most tests.
  std::string all_results() {
    write(artifacts::kPldPlusLayer, [](hdf5::Writer& file, const std::string& group) {
      artifacts::write_pld_plus_layer(some_layer(), file, group);
    });
    write(artifacts::kPldPlusHeads, [](hdf5::Writer& file, const std::string& group) {
      artifacts::write_pld_plus_heads(two_chosen_heads(), file, group);
    });
    write_copies("pld-plus-h", some_layer().choice(), some_copies());
    write_copies("pld-plus-a", two_chosen_heads().choice(), {{0, {copied(5, -1, 140)}}});
    write(artifacts::kDraft, [this](hdf5::Writer& file, const std::string& group) {
      const model::Model& model = tiny_.target().model();
      const std::vector<int> layers = {1};
      artifacts::write_draft(shallow_model(model, layers, every_token(model.config.vocab, 1, 2)),
                             layers, file, group);
    });
    for (const auto flavour : draft::kFlavours)
      write(artifacts::parallelspec_group(flavour),
            [&](hdf5::Writer& file, const std::string& group) {
              const ParallelSpecShape shape = {.flavour = flavour};
              artifacts::write_parallelspec(tiny_parallelspec(tiny_.target().model(), shape, 9),
                                            file, group);
            });
    write(artifacts::kNgrammys, [this](hdf5::Writer& file, const std::string& group) {
      artifacts::write_ngrammys(tables(), file, group);
    });
    std::ifstream made(artifacts(), std::ios::binary);
    return {std::istreambuf_iterator<char>(made), {}};
  }
  draft::NgramTables tables() const {
    draft::NgramTables tables;
    tables.top = 16;
    tables.unigram.resize(static_cast<std::size_t>(tiny_.target().model().config.vocab));
    std::iota(tables.unigram.begin(), tables.unigram.end(), 0);
    tables.unigram_measure = "distance";
    tables.bigram_context = "none";
    tables.numerics = "int8";
    for (std::size_t i = 0; i < tables.unigram.size() * 16; ++i) {
      tables.next.push_back(static_cast<Token>(i * 7 % tables.unigram.size()));
      tables.log_probs.push_back(-1);
    }
    return tables;
  }
  TemporaryFolder folder_;
  mutable std::list<TemporaryFolder> price_folders_;
  mutable TinyTarget tiny_;
};

}  // namespace outrider::test
