#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/draft/stop/row_features.h"

namespace outrider::draft {

/// What is known of a drafted token besides its row of logits.
struct DrawnToken {
  std::int64_t index;  // in the generated text, from 0
  float log_q = 0;     // as draft::DraftedToken has them
  float lead = 0;
  int match = 0;  // text_match
};

/// DISCO's classifier (Mamou et al. 2024, section 3): C_i = FFN(Concat(Top_k(y_i), Ent(y_i), i)), the
/// probability that a drafted token will be accepted, by a network of one hidden layer. It may also read which
/// token was drawn, since above temperature 0 the paper's inputs are the same for all that the row could have given,
/// and whether the text went on so before.
struct StopClassifier {
  static constexpr int kPaperInputs = RowFeatures::kTop + 2;
  static constexpr int kDrawnInputs = kPaperInputs + 2;  // log q, lead
  static constexpr int kInputs = kDrawnInputs + 2;       // the match's sign, and its tokens
  static constexpr int kHidden = 32;
  using Inputs = std::array<float, kInputs>;

  float position_scale = 1;                         // tokens that count as 1
  std::array<float, kHidden* kInputs> hidden = {};  // [hidden, inputs]
  std::array<float, kHidden> hidden_bias = {};
  std::array<float, kHidden> output = {};
  float output_bias = 0;

  /// What the network reads: the probabilities, the entropy and the position, then of the drawn token its
  /// log q and its lead, and of text_match the sign and the value divided by kLongestTextMatch. Shared with
  /// training.
  static Inputs inputs_of(const RowFeatures& row, const DrawnToken& drawn, float position_scale);
  /// Whether the drawn token's log q or lead has a weight, and whether its match has one.
  bool reads_drawn_token() const { return reads(kPaperInputs, kDrawnInputs); }
  bool reads_match() const { return reads(kDrawnInputs, kInputs); }
  /// How many of the inputs it reads: the paper's 12, with the drawn token 14, with its match 16.
  int inputs_read() const {
    if (reads_match()) return kInputs;
    return reads_drawn_token() ? kDrawnInputs : kPaperInputs;
  }

  /// C_i before the logistic function.
  double logit(const Inputs& inputs) const;
  double probability(const RowFeatures& row, const DrawnToken& drawn) const;

 private:
  bool reads(std::size_t begin, std::size_t end) const;
};

/// 1 / (1 + e^-x)
double logistic(double x);

}  // namespace outrider::draft
