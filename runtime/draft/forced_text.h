#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::draft {

/// Drafts the text that an answer's constraint forces, in the tokens that the tokenizer makes of it. The target may choose
/// other tokens for the same text, so that some of them are rejected.
class ForcedText : public Drafter {
 public:
  /// @param tokenizer  must outlive it
  explicit ForcedText(const text::Tokenizer& tokenizer);

  std::string name() const override { return "grammar"; }
  void fill(const DraftContext& context, TokenTree& tree) override;

 private:
  std::vector<Token> tokens_of(const std::string& text) const;

  const text::Tokenizer& tokenizer_;
  std::vector<Token> line_break_;
};

/// A drafter, asked only where no text is forced. Null stays null, and what is verified by rejection stays alone: together
/// they would have no distribution.
std::unique_ptr<Drafter> after_forced_text(std::unique_ptr<Drafter> drafter,
                                           const text::Tokenizer& tokenizer);

}  // namespace outrider::draft
