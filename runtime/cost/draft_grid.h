#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace outrider::cost {

/// Predicted speed of k drafts of w tokens on one machine at one temperature, for every k and w.
struct DraftGrid {
  struct Cell {
    int drafts = 0;        // k; 0: plain decoding
    int draft_length = 0;  // w
    double tokens_per_pass = 0;
    double drafted_per_pass = 0;  // nodes of the tree
    double tokens_per_second = 0;
  };

  std::optional<double> temperature;        // of the answers; in older files of all of them
  int threads = 0;                          // of the passes that were timed
  int context = 0;                          // tokens before them
  std::vector<std::int32_t> drafts;         // values of k, from 0
  std::vector<std::int32_t> draft_lengths;  // values of w
  std::vector<double> tokens_per_pass;      // [k, w]
  std::vector<double> drafted_per_pass;     // [k, w]
  std::vector<double> tokens_per_second;    // [k, w]

  std::size_t size() const { return drafts.size() * draft_lengths.size(); }
  Cell cell(std::size_t i) const;
  /// (k*, w*): the most tokens per second; on a tie the fewest drafts, then the shortest.
  Cell best() const;
  /// The best one with drafts.
  Cell best_drafting() const;
};

/// The fastest setting, in words.
std::string describe_fastest(const DraftGrid& grid);

}  // namespace outrider::cost
