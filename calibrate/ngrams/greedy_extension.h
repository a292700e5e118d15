#pragma once

#include <functional>
#include <vector>

#include "calibrate/ngrams/bigram_table.h"

namespace outrider::calibrate {

/// How the model itself goes on, greedily, behind the first rows of a bigram table: the paper's other
/// way to extend it, as long as V * k * w forwards. N-Grammys (Stewart et al. 2024), section 4.1.
struct GreedyExtension {
  int rows = 0;             // k: of the likeliest next tokens of each token
  int length = 0;           // tokens behind each
  std::vector<Token> next;  // [tokens done, rows, length]

  int tokens_done() const {
    return static_cast<int>(next.size() / static_cast<std::size_t>(rows * length));
  }
};

/// Goes on until every token of the table is done.
/// @param table  whole; what stands before its tokens stands here too
/// @param batch  rows of a pass, about
/// @param go_on  told after every group of tokens; false ends it early
/// @return whether it is whole
bool extend_greedily(engine::Engine& engine, const BigramTable& table, int batch,
                     GreedyExtension& extension, const std::function<bool()>& go_on);

}  // namespace outrider::calibrate
