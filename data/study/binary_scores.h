#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace outrider::study {

/// A confusion matrix: how often a rule's yes and no are right.
struct Confusion {
  std::int64_t true_positives = 0, false_positives = 0, true_negatives = 0, false_negatives = 0;

  void add(bool predicted, bool actual);
  std::int64_t total() const {
    return true_positives + false_positives + true_negatives + false_negatives;
  }
  /// The harmonic mean of precision and recall: of yes, and of no. 0 where none is predicted and none is true.
  double f1() const;
  double f1_of_no() const;
};

/// The probability that a positive has a higher score than a negative, a tie counting half: the area under
/// the ROC curve. 0.5 where there are none of either. @param actual  [scores]
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

}  // namespace outrider::study
