#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/trace.h"
#include "train/batches/head_rows.h"

namespace outrider::train {

/// Counts the tokens that a target generates, to choose the vocabulary of a draft.
class FrequentTokens {
 public:
  explicit FrequentTokens(int vocab) : counts_(static_cast<std::size_t>(vocab)) {}

  /// Adds an answer's tokens, those in loops apart.
  void add(const data::Trace& trace);

  /// As draft::most_frequent_tokens. @throws InputError for a size that is too small or large
  std::vector<Token> choose(int size, std::span<const Token> always) const;

 private:
  std::vector<std::int64_t> counts_;  // [vocab]
};

/// Share of the output tokens outside of loops that a head has a row for; 0 without any.
double coverage(std::span<const data::Trace> traces, const HeadRows& head);

}  // namespace outrider::train
