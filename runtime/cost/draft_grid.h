#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::cost {

/// How fast k drafts of w tokens are predicted to be on one machine, for every k and w.
struct DraftGrid {
  struct Cell {
    int drafts = 0;        // k; 0: plain decoding
    int draft_length = 0;  // w
    double tokens_per_pass = 0;
    double drafted_per_pass = 0;  // nodes of the tree
    double tokens_per_second = 0;
  };

  int threads = 0;                          // of the passes that were timed
  int context = 0;                          // tokens before them
  std::vector<std::int32_t> drafts;         // the k, from 0 on
  std::vector<std::int32_t> draft_lengths;  // the w
  std::vector<double> tokens_per_pass;      // [k, w]
  std::vector<double> drafted_per_pass;     // [k, w]
  std::vector<double> tokens_per_second;    // [k, w]

  std::size_t size() const { return drafts.size() * draft_lengths.size(); }
  Cell cell(std::size_t i) const;
  /// (k*, w*): with the most tokens per second; the fewest drafts, then the shortest, among equals.
  Cell best() const;
  /// The best of those that draft at all.
  Cell best_drafting() const;
};

/// The fastest setting, in words.
std::string verdict(const DraftGrid& grid);

}  // namespace outrider::cost
