#pragma once

#include <string>

#include "runtime/cost/tree_settings.h"

namespace outrider::test {

/// What `calibrate tree` might have found at temperatures 0 and 1: at 0 a tree is the fastest, at 1 a chain.
inline cost::MachineTreeSettings some_tree_settings(const std::string& draft) {
  const auto trial = [](const draft::LevelShape& setting, std::int64_t tokens, int verified,
                        double speed) {
    cost::TreeTrial made;
    made.setting = setting;
    made.rounds = 2;
    made.tokens = tokens;
    made.drafted = 2 * (verified - 1);
    for (int round = 0; round < 2; ++round) {
      made.verified.add(verified);
      made.drafting.add(4);
    }
    made.tokens_per_second = speed;
    return made;
  };
  cost::TreeSettings greedy = {0, 20, 400, {}};
  greedy.trials = {trial({3, {}, 0.25}, 4, 3, 500), trial({2, {}, 0}, 3, 3, 450),
                   trial({3, {2, 1, 2}, 0.125}, 6, 9, 600), trial({2, {3}, 0}, 5, 7, 550)};
  cost::TreeSettings sampled = greedy;
  sampled.temperature = 1;
  sampled.trials[0].tokens_per_second = 700;
  return {{{draft, "int8", 2, 2, 300}, {1, 2, 8}, {0.1, 0.12, 0.3}}, {greedy, sampled}};
}

}  // namespace outrider::test
