#pragma once

#include <functional>
#include <vector>

#include "calibrate/ngrammys/bigram_table.h"

namespace outrider::calibrate {

/// The model's greedy continuation of the first rows of a bigram table: the paper's other way to
/// extend it, with V * k * w forwards. N-Grammys (Stewart et al. 2024), section 4.1.
struct GreedyExtension {
  int rows = 0;             // k: of the likeliest next tokens of each token
  int length = 0;           // tokens after each
  std::vector<Token> next;  // [tokens done, rows, length]

  int tokens_done() const {
    return static_cast<int>(next.size() / static_cast<std::size_t>(rows * length));
  }
};

/// Continues until every token of the table is done.
/// @param table  complete; its prefix before the tokens is used here too
/// @param batch  rows of a pass, about
/// @param go_on  called after every group of tokens; false ends early
/// @return whether it is complete
bool extend_greedily(engine::Engine& engine, const BigramTable& table, int batch,
                     GreedyExtension& extension, const std::function<bool()>& go_on);

}  // namespace outrider::calibrate
