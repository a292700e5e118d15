#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/inference/generation.h"

namespace outrider {

/// What k drafts of w tokens did over all prompts.
struct GridCell {
  int drafts = 0;  // k; 0: plain decoding
  int draft_length = 0;
  std::int64_t tokens = 0;  // without those that prefills gave
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

/// A table for a person, and which cell is the fastest.
std::string report_text(const GridReport& report);
/// The same and more for machines.
std::string report_json(const GridReport& report);
/// Two heat maps: tokens per call and speed-up.
std::string report_plot(const GridReport& report);

}  // namespace outrider
