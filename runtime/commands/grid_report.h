#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/inference/generation.h"

namespace outrider {

/// Results of k drafts of w tokens over all prompts.
struct GridCell {
  int drafts = 0;  // k; 0: plain decoding
  int draft_length = 0;
  std::int64_t tokens = 0;  // without the first tokens, which prefills give
  std::int64_t passes = 0;
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  double seconds = 0;  // of decoding, without prefills

  void add(const decode::DecodeResult& result);
  double tokens_per_call() const;
  double tokens_per_second() const;
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
    return cell.tokens_per_second() / plain.tokens_per_second();
  }
};

/// The results as a text table, with the fastest cell.
std::string report_text(const GridReport& report);
/// The results as JSON.
std::string report_json(const GridReport& report);
/// Two heat maps: tokens per call and speed-up.
std::string report_plot(const GridReport& report);

}  // namespace outrider
