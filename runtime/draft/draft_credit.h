#pragma once

namespace outrider::draft {

/// Whether drafts pay in the text at hand: the sum of what they saved less what they cost, in passes over one
/// row, capped so that early gains do not hide later losses (a CUSUM test, Page 1954). It uses counts and prices
/// but no clock, so that a run is repeatable.
class DraftCredit {
 public:
  /// Passes that drafts may lose before they rest: at the start of a text, and after a rest.
  static constexpr double kFull = 2, kAfterRest = 0.5;
  /// Tokens of the first rest and of the longest; each is twice as long as the one before, until drafts
  /// have paid again.
  static constexpr int kShortestRest = 16, kLongestRest = 128;

  /// Starts another text.
  void start() { *this = DraftCredit(); }

  /// Whether nothing is drafted after so many tokens of the text.
  bool rests(int tokens) const { return tokens < rests_until_; }

  /// Adds a round.
  /// @param cost      of the draft and of the rows that it added to the pass
  /// @param accepted  drafted tokens that were accepted; each saved a pass
  /// @param tokens    length of the text after the round
  void add(double cost, int accepted, int tokens);

 private:
  double left_ = kFull;
  int next_rest_ = kShortestRest;
  int rests_until_ = 0;  // tokens of the text
};

}  // namespace outrider::draft
