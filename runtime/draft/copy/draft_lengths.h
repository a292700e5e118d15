#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/copy/copy_sources.h"
#include "runtime/draft/copy/pld_plus_lengths.h"
#include "runtime/draft/length_costs.h"

namespace outrider::draft {

/// Draft lengths per step: the one with the most tokens per second, by the acceptance of sources of the same
/// class and the cost of passes after the text so far. Used by decoding and calibration.
class DraftLengths {
 public:
  /// @param costs  ascending from 0 on
  DraftLengths(PldPlusLengths known, std::span<const LengthCosts> costs, int otherwise,
               double least_speed_up = 1);
  /// Lengths by costs that are the same after any number of tokens.
  /// @param seconds    [1 + longest] of passes of 1, 2, … rows
  /// @param otherwise  the length for classes with too few counted sources
  /// @param least_speed_up  classes without a length at which drafts are so many times as fast as passes
  ///                        without have length 0, as have those with too few sources if it is above 1
  DraftLengths(PldPlusLengths known, std::span<const double> seconds, int otherwise,
               double least_speed_up = 1);

  /// @param source  a position in `text` with the same token as the last one
  int choose(std::span<const Token> text, const RankedSource& source) const;

  /// The longest that `choose` can give.
  int longest() const;

  /// [scores, matches] The chosen lengths for short texts.
  const std::vector<int>& by_class() const { return by_text_.front().lengths; }

 private:
  struct OfText {
    int from = 0;
    std::vector<int> lengths;  // by class
  };

  PldPlusLengths known_;
  std::vector<OfText> by_text_;
};

using DraftLengthsPtr = std::shared_ptr<const DraftLengths>;

/// The class of a source.
/// @param text  the text that it is a source of
std::size_t class_of(const PldPlusLengths& known, std::span<const Token> text,
                     const RankedSource& source);

}  // namespace outrider::draft
