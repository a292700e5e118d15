#pragma once

#include <string>
#include <vector>

#include "data/study/decode_sums.h"

namespace outrider::calibrate {

/// Results of k drafts of w tokens over all prompts.
struct GridCell {
  int drafts = 0;  // k; 0: plain decoding
  int draft_length = 0;
  study::DecodeSums sums = {};
};

struct GridReport {
  std::string model, machine, numerics, isa;
  int threads = 1;
  std::string method;
  int prompts = 0;
  int max_new = 0;
  std::vector<int> drafts, draft_lengths;
  GridCell plain;
  std::vector<GridCell> cells;  // [k, w]

  double speed_up(const GridCell& cell) const {
    return cell.sums.tokens_per_second() / plain.sums.tokens_per_second();
  }
};

/// The results as a text table, with the fastest cell.
std::string report_text(const GridReport& report);
/// The results as JSON.
std::string report_json(const GridReport& report);
/// Two heat maps: tokens per call and speed-up.
std::string report_plot(const GridReport& report);

}  // namespace outrider::calibrate
