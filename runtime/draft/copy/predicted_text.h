#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/draft/copy/reference_index.h"
#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// Copies from a text that the answer is expected to repeat for the most part, as an editor does that sends the
/// file to be changed. It follows the prediction from its beginning; where the answer departs from it, it looks for
/// the place where they meet again: what follows the answer's last tokens in the prediction, at the occurrence
/// that is the next one after where it was. OpenAI, "Predicted outputs".
class PredictedText : public Drafter {
 public:
  /// Tokens of a draft: the first number after a departure, twice as many after a draft that was accepted as a
  /// whole, up to the second.
  static constexpr int kFirstDraft = 4, kLongestDraft = 32;
  /// The fewest tokens by which a place is found again, and the most that are compared.
  static constexpr int kShortestMatch = 3, kLongestMatch = 8;

  /// @param tokens  of the prediction
  /// @param prompt  tokens of the text before the answer
  PredictedText(const std::vector<Token>& tokens, int prompt);

  std::string name() const override { return "prediction"; }
  void verified(std::span<const int> accepted, Token next) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  void follow(std::span<const Token> text);

  std::vector<Token> tokens_;
  ReferenceIndex index_;
  std::size_t prompt_;
  std::size_t read_ = 0;   // tokens of the answer that were compared
  std::size_t place_ = 0;  // in the prediction, of the answer's next token
  bool is_there_ = true;   // the answer has followed the prediction up to there
  int length_ = kFirstDraft;
  int last_drafted_ = 0;
};

}  // namespace outrider::draft
