#pragma once

#include <cstddef>
#include <span>

namespace outrider::sampling {

/// Scores of tokens, (z - z of the best token) / T: stored ones, or ones computed from the logits on demand, since a
/// choice reads few of them.
class ScoreView {
 public:
  explicit ScoreView(std::span<const double> scores) : scores_(scores) {}
  /// @param largest  of the logits
  ScoreView(std::span<const float> logits, double largest, double temperature)
      : logits_(logits), largest_(largest), temperature_(temperature) {}

  std::size_t size() const { return logits_.empty() ? scores_.size() : logits_.size(); }
  double operator[](std::size_t i) const { return logits_.empty() ? scores_[i] : of(logits_[i]); }
  /// The largest score of tokens [begin, end), at least one.
  double largest(std::size_t begin, std::size_t end) const {
    // Rounding is monotone: the largest logit has the largest score.
    return logits_.empty() ? largest_of(scores_.data() + begin, end - begin)
                           : of(largest_of(logits_.data() + begin, end - begin));
  }

 private:
  /// For a block of some tokens; arg_max.h has those for whole rows, which also look for NaN.
  template <typename Float>
  static Float largest_of(const Float* numbers, std::size_t count) {
    // Four running maxima, which fit a register.
    constexpr std::size_t kLanes = 4;
    Float most = numbers[0];
    std::size_t i = 1;
    if (count >= kLanes) {
      Float lanes[kLanes] = {numbers[0], numbers[1], numbers[2], numbers[3]};
      for (i = kLanes; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          lanes[lane] = numbers[i + lane] > lanes[lane] ? numbers[i + lane] : lanes[lane];
      for (const Float lane : lanes) most = lane > most ? lane : most;
    }
    for (; i < count; ++i) most = numbers[i] > most ? numbers[i] : most;
    return most;
  }
  double of(float logit) const {
    const double below = static_cast<double>(logit) - largest_;
    return temperature_ == 1 ? below : below / temperature_;
  }

  std::span<const double> scores_;
  std::span<const float> logits_;  // empty: the scores are stored
  double largest_ = 0;
  double temperature_ = 1;
};

}  // namespace outrider::sampling
