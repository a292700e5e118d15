#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace outrider::evaluate {

/// How a rule's yes and no compare with what is the case.
struct Confusion {
  std::int64_t true_yes = 0, false_yes = 0, true_no = 0, false_no = 0;

  void add(bool predicted, bool actual);
  std::int64_t total() const { return true_yes + false_yes + true_no + false_no; }
  /// The harmonic mean of precision and recall: of yes, and of no. 0 where none is predicted and none is true.
  double f1() const;
  double f1_of_no() const;
};

/// The probability that a yes has a higher score than a no, a tie counting half: the area under the ROC
/// curve. 0.5 where one of them is missing. @param actual  [scores]
double area_under_roc(std::span<const double> scores, std::span<const std::uint8_t> actual);

/// How far predicted probabilities are what happens: by probability, in equal parts of 0 to 1.
struct Reliability {
  std::vector<double> share;      // [parts] of all
  std::vector<double> predicted;  // mean probability; 0 of an empty part
  std::vector<double> happened;   // share of them that are so; 0 of an empty part
};

/// @param happened  [probabilities] 0 to 1
Reliability reliability_of(std::span<const double> probabilities, std::span<const double> happened,
                           int parts);

}  // namespace outrider::evaluate
