#pragma once

namespace outrider::draft {

/// Whether drafts pay in the text at hand, by counts and prices alone, so that a run is repeatable: a sum of
/// what they saved less what they cost, from which the oldest gains are forgotten (a CUSUM test, Page 1954).
/// All in passes over one row.
class DraftCredit {
 public:
  /// What drafts may lose before they rest: at a text's start, and after a rest.
  static constexpr double kFull = 2, kAfterRest = 0.5;
  /// Tokens of the first rest and of the longest; each is twice as long as the one before, until drafts
  /// have paid again.
  static constexpr int kShortestRest = 16, kLongestRest = 128;

  /// For another text.
  void start() { *this = DraftCredit(); }

  /// Whether nothing is drafted after so many tokens of the text.
  bool rests(int tokens) const { return tokens < rests_until_; }

  /// Counts a round.
  /// @param cost      of its draft and the rows that it added to the pass
  /// @param accepted  tokens, each of which saved a pass
  /// @param tokens    of the text after it
  void add(double cost, int accepted, int tokens);

 private:
  double left_ = kFull;
  int next_rest_ = kShortestRest;
  int rests_until_ = 0;  // tokens of the text
};

}  // namespace outrider::draft
