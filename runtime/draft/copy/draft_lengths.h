#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/copy/copy_sources.h"
#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::draft {

/// How many tokens to copy, step by step: as many as give the most tokens per second by what is known
/// of places like the chosen one and by what a pass of so many rows costs. Decoding and calibration
/// both choose with it.
class DraftLengths {
 public:
  /// @param seconds    [1 + longest] of passes of 1, 2, … rows
  /// @param otherwise  where too few places of a class were looked at
  DraftLengths(PldPlusLengths known, std::span<const double> seconds, int otherwise);

  /// @param source  a place in `text` that holds the last token too
  int choose(std::span<const Token> text, const RankedSource& source) const;

  /// [scores, matches] The choices.
  const std::vector<int>& by_class() const { return lengths_; }

 private:
  PldPlusLengths known_;
  std::vector<int> lengths_;
};

using DraftLengthsPtr = std::shared_ptr<const DraftLengths>;

/// The class of a place to copy from.
/// @param text  whose last token the place holds too
std::size_t class_of(const PldPlusLengths& known, std::span<const Token> text,
                     const RankedSource& source);

}  // namespace outrider::draft
