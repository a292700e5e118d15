#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/artifacts/acceptance_group.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/disco_group.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/support/source_path.h"

namespace outrider::artifacts {
namespace {

class ShippedArtifacts : public testing::Test {
 protected:
  /// @param use  called with every shipped file
  template <typename Use>
  void for_each_file(const Use& use) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().extension() == ".h5") use(ArtifactFile(entry.path()));
  }

  std::vector<ArtifactFile> files_of(const std::string& model) const {
    std::vector<ArtifactFile> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().extension() == ".h5" &&
          entry.path().filename().string().starts_with(model + "."))
        files.emplace_back(entry.path());
    return files;
  }

  const std::string folder_ = test::source_path("checkpoints");
};

/// The flavour of a group with a parallel drafter; nothing for another group.
std::optional<draft::ParallelSpecModel::Flavour> flavour_of(const std::string& group) {
  for (const draft::ParallelSpecModel::Flavour flavour : draft::kFlavours)
    if (group == parallelspec_group(flavour)) return flavour;
  return {};
}

/// Whether a text has a slash in quotes, or a word that begins with one, or with dots and one.
bool names_a_path(std::string_view text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '/') continue;
    const std::size_t line = text.find_last_of('\n', i) + 1;  // 0 on the first
    const auto quotes = std::count(text.begin() + static_cast<std::ptrdiff_t>(line),
                                   text.begin() + static_cast<std::ptrdiff_t>(i), '"');
    const bool begins_word = i == 0 || !in_word(text[i - 1]);
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (quotes % 2 == 1 || (begins_word && (in_word(next) || next == '.' || next == '~')))
      return true;
  }
  return false;
}

TEST(NamesAPath, TellsPathsFromNames) {
  for (const char* path : {"/tmp/a.h5", "x = \"a/b\"", "see ../a", "at ~/a", "n\n/home"})
    EXPECT_TRUE(names_a_path(path)) << path;
  for (const char* name : {"tokens/s", "a / b", "mine.h5", "\"a.h5\" and 3/4"})
    EXPECT_FALSE(names_a_path(name)) << name;
}

TEST_F(ShippedArtifacts, HoldNoPathOfTheMachineThatMadeThem) {
  int texts = 0;
  for_each_file([&](const ArtifactFile& file) {
    for (const std::string& dataset : hdf5::dataset_paths(file.reader())) {
      if (!file.reader().info(dataset).is_text) continue;
      const std::string text = file.reader().read_text(dataset, 1 << 24);
      EXPECT_FALSE(names_a_path(text)) << file.reader().name() << dataset << "\n" << text;
      ++texts;
    }
  });
  EXPECT_GT(texts, 10);
}

/// What the groups of one model's files are for.
struct Uses {
  int groups = 0;
  std::string draft;  // the hash of the one that ships
  std::map<std::string, std::string> trials_for, costs_for, choices;  // by method
  std::string stops_for;
};

/// @param untimed  methods whose drafter was timed on no machine whose costs ship: decoding times it at its first use
void expect_same_drafters(const Uses& uses, const std::set<std::string>& untimed = {}) {
  for (const auto& [method, choice] : uses.choices)
    EXPECT_EQ(uses.trials_for.at(method), choice) << method;
  std::map<std::string, std::string> timed = uses.trials_for;
  for (const std::string& method : untimed) EXPECT_EQ(timed.erase(method), 1U) << method;
  EXPECT_EQ(uses.costs_for, timed);
  EXPECT_EQ(uses.stops_for, uses.draft);
}

/// Reads every group of a model's files. @param target  nothing where the model's file is not there: then its drafters
/// are not read
Uses read_all(const std::vector<ArtifactFile>& files, const std::optional<model::Model>& target,
              std::size_t least_pairs) {
  Uses uses;
  for (const ArtifactFile& file : files) {
    for (const std::string& group : file.groups()) {
      SCOPED_TRACE(file.reader().name() + group);
      EXPECT_FALSE(read_provenance(file.reader(), group).date.empty());
      if (group == kPldPlusHeads) {
        const draft::PldPlusHeads found = read_pld_plus_heads(file.reader(), group);
        EXPECT_EQ(found.layers, file.target().layers);
        EXPECT_GE(found.temperatures.size(), 2U);
        EXPECT_TRUE(found.temperatures.front().by_step.has_value());
        uses.choices["pld-plus-a"] = found.choice();
      } else if (group == kPldPlusLayer) {
        const draft::PldPlusLayer found = read_pld_plus_layer(file.reader(), group);
        EXPECT_EQ(found.by_layer.size(), 1U + static_cast<std::size_t>(file.target().layers));
        EXPECT_FALSE(found.logit_weights.empty());
        EXPECT_TRUE(found.temperatures.front().by_step.has_value());
        uses.choices["pld-plus-h"] = found.choice();
      } else if (group == kNgrammys) {
        const draft::NgramTables tables = read_ngrammys(file);
        EXPECT_EQ(tables.vocab(), file.target().vocab);
        EXPECT_GT(tables.tokens_per_pass.at("bigram_" + tables.bigram_context), 1);
      } else if (group == kPairCounts) {
        const draft::PairCounts pair_counts = read_pair_counts(file);
        EXPECT_EQ(pair_counts.vocab(), file.target().vocab);
        EXPECT_GT(pair_counts.size(), least_pairs);
      } else if (group.starts_with(kCost) && !is_cost_group(group)) {
        const cost::DraftingCost found = read_drafting_cost(file.reader(), group);
        uses.costs_for[group.substr(group.rfind('/') + 1)] = found.drafter;
        EXPECT_TRUE(found.rows.empty() || found.shares.front() < 0.15);
      } else if (group.starts_with(kCost)) {
        const cost::MachineCost measured = read_cost(file.reader(), group);
        EXPECT_EQ(cost_group(measured.machine), group);
        EXPECT_TRUE(measured.model(measured.passes.front().threads).has_value());
        EXPECT_FALSE(measured.drafters.drafters.empty());
      } else if (group == kDraft) {
        const model::Model draft = read_draft(file, target.value());
        EXPECT_EQ(draft.layers.size(), 2U);
        EXPECT_EQ(draft.head.rows, 12'288);
        uses.draft = draft_hash(file);
      } else if (group.starts_with(kTrials)) {
        const cost::Trials found = read_trials(file.reader(), group);
        uses.trials_for[group.substr(std::string(kTrials).size() + 1)] = found.drafter;
        for (const cost::TemperatureTrials& one : found.by_temperature) {
          EXPECT_GT(one.positions, 1000);
          EXPECT_GE(one.trials.size(), 15U);
        }
      } else if (group == kStopClassifier) {
        const TrainedDisco found = read_disco(file.reader(), group);
        EXPECT_EQ(found.by_temperature.size(), 2U);
        EXPECT_GT(found.nearest(0).auc, 0.75);
        EXPECT_FALSE(found.nearest(0).is_published() && found.nearest(1).is_published())
            << "it would be /disco";
        uses.stops_for = found.draft;
      } else if (const auto flavour = flavour_of(group)) {
        if (target) {
          const draft::ParallelSpecModel found = read_parallelspec(file, *target, *flavour);
          EXPECT_EQ(found.masks(), found.drafts_one_by_one() ? 0 : 4);
          EXPECT_EQ(found.layer.head.rows, 8192);
        }
      } else if (group == acceptance_group("parallelspec-eagle")) {
        const AcceptanceByTemperature found = read_acceptance(file, group);
        EXPECT_EQ(found.size(), 2U);
        EXPECT_GT(found.at(0).cells().size(), 20U);  // its own drafts, and those of three sources
      } else {
        // What is read and drawn by `calibrate plot`: tests/calibrate/plot_command_test.cc.
        EXPECT_EQ(group, "/ngrammys_figures") << "a group that this test does not know";
      }
      ++uses.groups;
    }
  }
  return uses;
}

TEST_F(ShippedArtifacts, OfTheDefaultModelAreReadAsTheyWereWritten) {
  const Uses uses = read_all(files_of("SmolLM2-135M-Instruct.Q4_1"),
                             model::load_model(test::default_model()), 100'000);
  EXPECT_GE(uses.groups, 9);
  EXPECT_FALSE(uses.draft.empty());
  for (const char* method : {"ssd", "tsd", "gsd"})
    EXPECT_EQ(uses.trials_for.at(method), uses.draft);
  EXPECT_EQ(uses.trials_for.size(), 10U);
  expect_same_drafters(uses, {"medusa-heads"});
}

TEST_F(ShippedArtifacts, OfALargerModelAreReadAsTheyWereWritten) {
  const Uses uses = read_all(files_of("Qwen2.5-Coder-1.5B-Instruct.Q4_K_M"), {}, 10'000);
  EXPECT_GE(uses.groups, 8);
  EXPECT_EQ(uses.trials_for.size(), 3U);  // parallelspec-eagle, pld-plus-a and pld-plus-h
  expect_same_drafters(uses, {"pld-plus-a", "pld-plus-h"});
}

}  // namespace
}  // namespace outrider::artifacts
