#pragma once

#include <string>

#include "runtime/cost/graph_settings.h"

namespace outrider::test {

/// What `calibrate graph` might have found at temperatures 0 and 1: at 0 a tree of two children is the fastest,
/// at 1 a chain.
inline cost::MachineGraphSettings some_graph_settings(const std::string& draft) {
  const auto trial = [](const cost::GraphSetting& setting, std::int64_t tokens, int verified,
                        double speed) {
    cost::GraphTrial made;
    made.setting = setting;
    made.rounds = 2;
    made.tokens = tokens;
    made.drafted = 2 * (verified - 1);
    made.merged = setting.tau;
    made.copies = setting.tau;
    made.rounds_with_copies = setting.tau > 0;
    made.later_children = setting.children > 1 ? setting.children : 0;
    for (int round = 0; round < 2; ++round) {
      made.verified.add(verified);
      made.drafting.add(1);
      made.drafting.add(2);
    }
    made.tokens_per_second = speed;
    return made;
  };
  cost::GraphSettings greedy = {0, 20, 1, 400, {}};
  greedy.trials = {trial({1, {0.5, 0, 0}, 0, 3, 256}, 4, 3, 500),
                   trial({2, {0.25, 0.5, 0.125}, 0, 4, 6}, 6, 5, 600),
                   trial({3, {0.25, 0.5, 0}, 2, 5, 7}, 7, 6, 650)};
  cost::GraphSettings sampled = greedy;
  sampled.temperature = 1;
  sampled.trials[0].tokens_per_second = 700;
  return {{{draft, "int8", 2, 2, 300}, {1, 2, 8}, {0.1, 0.12, 0.3}}, {greedy, sampled}};
}

}  // namespace outrider::test
