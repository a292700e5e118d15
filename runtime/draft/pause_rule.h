#pragma once

namespace outrider::draft {

/// Whether drafts save time in the text at hand: the sum of what they saved less what they cost, in passes over one
/// row, capped so that early gains do not hide later losses (a CUSUM test, Page 1954). It uses counts and prices
/// but no clock, so that a run is repeatable. Unlike nodes_that_pay it weighs what was accepted, not what is expected to be:
/// it has to find out where that expectation is wrong.
class PauseRule {
 public:
  /// Passes that drafts may lose before drafting pauses: at the start of a text, and after a pause.
  static constexpr double kFull = 2, kAfterPause = 0.5;
  /// Tokens of the first pause and of the longest; each is twice as long as the one before, until drafts
  /// have saved time again.
  static constexpr int kShortestPause = 16, kLongestPause = 128;

  /// Starts another text.
  void start() { *this = PauseRule(); }

  /// Whether nothing is drafted after so many tokens of the text.
  bool is_paused(int tokens) const { return tokens < paused_until_; }

  /// Adds a round.
  /// @param cost      of the draft and of the rows that it added to the pass
  /// @param accepted  drafted tokens that were accepted; each saved a pass
  /// @param tokens    length of the text after the round
  void add(double cost, int accepted, int tokens);

 private:
  double left_ = kFull;
  int next_pause_ = kShortestPause;
  int paused_until_ = 0;  // tokens of the text
};

}  // namespace outrider::draft
