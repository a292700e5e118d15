#pragma once

#include <span>
#include <vector>

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {

/// Hidden states of one layer by position, and the ranking of sources by them: by the cosine between the
/// state of the source's predecessor and that of the last token's predecessor. PLD+ (Somasundaram et al.
/// 2024), eq. 3. Used by decoding and calibration.
class StateRanking {
 public:
  /// Number of positions with a state.
  int size() const { return size_; }
  /// Makes room for this many positions once the width of a state is known; what is not used is not touched.
  void reserve(int positions) { room_ = static_cast<std::size_t>(positions); }
  /// The state of the next position, [width]; all have the same width.
  void add(std::span<const float> state);
  /// Replaces all by the first `size` positions of another one.
  void copy_first(const StateRanking& from, int size);
  /// Keeps the first `size` positions only.
  void truncate(int size);

  /// Each source j with the cosine of the states at j - 1 and at t - 1; without the source 0, which
  /// has no predecessor.
  /// @param sources  positions below t
  /// @param t        position with a state at t - 1
  /// @param scored   gets them; a buffer
  void score(std::span<const int> sources, int t, std::vector<RankedSource>& scored) const;

 private:
  const float* state(int position) const {
    return states_.data() + static_cast<std::size_t>(position) * width_;
  }

  std::size_t room_ = 0;  // positions
  std::size_t width_ = 0;
  int size_ = 0;
  std::vector<float> states_;  // [size, width], each of length 1
};

}  // namespace outrider::draft
