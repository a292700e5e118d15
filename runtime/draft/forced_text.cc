#include "runtime/draft/forced_text.h"

#include <algorithm>
#include <utility>

#include "runtime/draft/copy_first.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::draft {
namespace {

constexpr const char* kLineBreak = "\n";

}  // namespace

ForcedText::ForcedText(const text::Tokenizer& tokenizer)
    : tokenizer_(tokenizer), line_break_(tokenizer.encode(kLineBreak, false)) {}

/// The tokens of a text that others come before, which no word of it is joined with: of what some tokenizers add at the
/// beginning of a text it has nothing.
std::vector<Token> ForcedText::tokens_of(const std::string& text) const {
  std::vector<Token> tokens = tokenizer_.encode(kLineBreak + text, false);
  if (tokens.size() <= line_break_.size() ||
      !std::equal(line_break_.begin(), line_break_.end(), tokens.begin()))
    return tokenizer_.encode(text, false);
  tokens.erase(tokens.begin(), tokens.begin() + std::ssize(line_break_));
  return tokens;
}

void ForcedText::fill(const DraftContext& context, TokenTree& tree) {
  if (context.constraint == nullptr) return;
  std::string text = context.constraint->forced();
  // What is forced may end within a character, or begin there.
  if (const auto invalid = text::find_invalid_utf8(text)) text.resize(*invalid);
  if (text.empty()) return;
  tree.add_draft(tokens_of(text), {.source = Source::kForced});
}

std::unique_ptr<Drafter> after_forced_text(std::unique_ptr<Drafter> drafter,
                                           const text::Tokenizer& tokenizer) {
  if (drafter == nullptr || drafter->traits().verification != Verification::kCoupled)
    return drafter;
  return std::make_unique<CopyFirst>(std::make_unique<ForcedText>(tokenizer), std::move(drafter));
}

}  // namespace outrider::draft
