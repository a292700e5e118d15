#pragma once

#include <algorithm>

#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Drafts two tokens more after a round that was accepted as a whole, and one less after any other: the
/// heuristic of Hugging Face's assisted generation, to which DISCO compares (Mamou et al. 2024).
class HeuristicLength : public StopPolicy {
 public:
  /// @param longest  the length never grows beyond, so that it falls as soon as a draft is rejected
  explicit HeuristicLength(int longest) : longest_(longest), length_(first()) {}

  void start() override { length_ = first(); }
  bool stops(const DraftedToken& last) override { return last.number >= length_; }
  int drafted_at_once() const override { return length_; }
  void verified(int drafted, int accepted) override {
    length_ = accepted == drafted ? std::min(length_ + 2, longest_) : std::max(length_ - 1, 1);
  }

 private:
  int first() const { return std::min(5, longest_); }

  int longest_;
  int length_;  // tokens of the next round
};

}  // namespace outrider::draft
