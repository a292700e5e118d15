#pragma once

#include <string>

#include "runtime/cost/trials.h"

namespace outrider::test {

/// A trial of two rounds.
/// @param verified  rows of the target's pass in each
/// @param drafting  rows of the drafter's passes in each
inline cost::Trial two_rounds(const cost::SettingValues& settings, cost::Shape shape,
                              std::int64_t tokens, int verified, const std::vector<int>& drafting) {
  cost::Trial made;
  made.settings = settings;
  made.shape = shape;
  made.rounds = 2;
  made.tokens = tokens;
  made.drafted = 2 * (verified - 1);
  for (int round = 0; round < 2; ++round) {
    made.verified.add(verified);
    for (const int rows : drafting) made.drafting.add(rows);
  }
  return made;
}

/// What `calibrate gsd` might have found at temperatures 0 and 1 of a method that merges, or does not: where rows cost
/// little a tree of two children and a graph of three are the fastest at 0, a chain at 1.
inline cost::Trials some_graph_trials(const std::string& drafter, bool merges) {
  const auto trial = [](const cost::SettingValues& settings, std::int64_t tokens, int verified) {
    const bool is_chain = cost::number_of(settings, "children") == 1;
    cost::Trial made = two_rounds(settings, is_chain ? cost::Shape::kChain : cost::Shape::kTree,
                                  tokens, verified, {1, 2});
    made.other = {{"accepted_copies", settings.contains("merge-run") ? 2 : 0}};
    return made;
  };
  const cost::SettingValues chain = {{"children", 1.0},          {"draft-length", 3.0},
                                     {"prune-probability", 0.5}, {"prune-siblings", 0.0},
                                     {"min-path", 0.0},          {"tree-nodes", 256.0}};
  const cost::SettingValues tree = {{"children", 2.0},           {"draft-length", 4.0},
                                    {"prune-probability", 0.25}, {"prune-siblings", 0.5},
                                    {"min-path", 0.125},         {"tree-nodes", 6.0}};
  const cost::SettingValues graph = {{"children", 3.0},           {"draft-length", 5.0},
                                     {"prune-probability", 0.25}, {"prune-siblings", 0.5},
                                     {"min-path", 0.0},           {"tree-nodes", 7.0},
                                     {"merge-run", 2.0}};
  cost::TemperatureTrials greedy = {0, 20, {trial(chain, 4, 3)}};
  greedy.trials.push_back(merges ? trial(graph, 7, 6) : trial(tree, 6, 5));
  cost::TemperatureTrials sampled = greedy;
  sampled.temperature = 1;
  sampled.trials[0].tokens = 8;
  return {drafter,
          300,
          {"children", "merge-run", "tree-nodes", "draft-length", "prune-probability",
           "prune-siblings", "min-path"},
          {greedy, sampled}};
}

/// What `calibrate parallelspec` might have found at temperatures 0 and 1: where rows cost little a tree is the fastest at 0, a
/// chain at 1.
inline cost::Trials some_tree_trials(const std::string& drafter) {
  const auto trial = [](const char* tree, double length, double threshold, std::int64_t tokens,
                        int verified) {
    return two_rounds({{"tree", tree}, {"draft-length", length}, {"draft-threshold", threshold}},
                      std::string(tree) == "chain" ? cost::Shape::kChain : cost::Shape::kTree,
                      tokens, verified, {4});
  };
  const cost::TemperatureTrials greedy = {
      0,
      20,
      {trial("chain", 3, 0.25, 4, 3), trial("chain", 2, 0, 3, 3), trial("2,1,2", 3, 0.125, 6, 9),
       trial("3", 2, 0, 5, 7)}};
  cost::TemperatureTrials sampled = greedy;
  sampled.temperature = 1;
  sampled.trials[0].tokens = 8;
  return {drafter, 300, {"tree", "draft-length", "draft-threshold"}, {greedy, sampled}};
}

/// A trial of so many rounds of a draft model, each of which drafts so many tokens.
/// @param threshold  0: none
inline cost::Trial stopped_rounds(const std::string& stop, int length, double threshold,
                                  std::int32_t rounds, std::int64_t tokens, int drafted) {
  cost::Trial made;
  made.settings = {{"draft-stop", stop}, {"draft-length", static_cast<double>(length)}};
  if (threshold > 0) made.settings["draft-threshold"] = threshold;
  made.rounds = rounds;
  made.tokens = tokens;
  made.drafted = rounds * drafted;
  made.verified.add(1 + drafted, rounds);
  made.drafting.add(1, rounds * drafted);
  return made;
}

/// What passes of a drafter might cost beside an engine of two threads.
inline cost::DraftingCost some_drafting_cost(const std::string& drafter) {
  return {.drafter = drafter,
          .numerics = "int8",
          .isa = "scalar",
          .threads = 2,
          .draft_threads = 1,
          .rows = {1, 2, 8},
          .shares = {0.1, 0.12, 0.3},
          .choice_share = 0.03};
}

/// Passes of both shapes, where the first row takes a second and each further one so much.
inline std::vector<cost::TimedPass> some_passes(double of_chain, double of_tree) {
  std::vector<cost::TimedPass> all;
  for (const int rows : {1, 11}) {
    all.push_back({{cost::Shape::kChain, rows, 0}, 1 + of_chain * (rows - 1)});
    all.push_back({{cost::Shape::kTree, rows, 0}, 1 + of_tree * (rows - 1)});
  }
  return all;
}

}  // namespace outrider::test
