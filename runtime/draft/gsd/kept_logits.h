#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/row_reader.h"
#include "runtime/sampling/head_vocabulary.h"
#include "runtime/sampling/log_softmax.h"

namespace outrider::draft {

/// The largest logits of a draft model's rows, kept so that other noise and other penalties can rank them
/// later. Reuse allocates nothing for as many rows as before.
class KeptLogits {
 public:
  static constexpr std::size_t kOfRow = 64;

  explicit KeptLogits(const sampling::HeadVocabulary& vocabulary)
      : of_row_(static_cast<std::size_t>(of_row(vocabulary))) {}

  /// Logits that are kept of a row over a vocabulary.
  static int of_row(const sampling::HeadVocabulary& vocabulary) {
    return static_cast<int>(std::min(kOfRow, vocabulary.size()));
  }

  void clear() { rows_.clear(), tokens_.clear(), logits_.clear(); }
  /// Keeps a row's largest logits. @return its number
  /// @param best  [of_row()] best first, of rows of the head
  int keep(const sampling::HeadVocabulary& vocabulary, std::span<const engine::RankedLogit> best,
           const sampling::LogSoftmax& softmax);
  /// Adds a row that was kept before. @param tokens, logits  [of_row()] ascending by token
  void keep(std::span<const Token> tokens, std::span<const float> logits,
            const sampling::LogSoftmax& softmax);

  int rows() const { return static_cast<int>(rows_.size()); }
  /// Logits that are kept of a row.
  std::size_t of_row() const { return of_row_; }
  const sampling::LogSoftmax& softmax(int row) const {
    return rows_[static_cast<std::size_t>(row)];
  }
  /// Ascending: [kOfRow], or all where there are fewer.
  std::span<const Token> tokens(int row) const { return part(tokens_, row); }
  std::span<const float> logits(int row) const { return part(logits_, row); }
  /// Logarithm of the probability of one of the tokens in softmax of the whole row.
  float log_q(int row, Token token) const;

 private:
  template <typename T>
  std::span<const T> part(const std::vector<T>& all, int row) const {
    return std::span(all).subspan(static_cast<std::size_t>(row) * of_row_, of_row_);
  }

  std::size_t of_row_;
  std::vector<sampling::LogSoftmax> rows_;
  std::vector<Token> tokens_;  // [rows, of_row_]
  std::vector<float> logits_;  // [rows, of_row_]
  std::vector<engine::RankedLogit> sorted_;
};

}  // namespace outrider::draft
