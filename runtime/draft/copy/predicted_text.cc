#include "runtime/draft/copy/predicted_text.h"

#include <algorithm>

namespace outrider::draft {
namespace {

std::vector<Token> ended(std::vector<Token> tokens) {
  tokens.push_back(ReferenceIndex::kEnd);
  return tokens;
}

}  // namespace

PredictedText::PredictedText(const std::vector<Token>& tokens, int prompt)
    : tokens_(tokens), index_(ended(tokens)), prompt_(static_cast<std::size_t>(prompt)) {}

int PredictedText::begin(const TextStart& text) {
  read_ = place_ = 0;
  is_there_ = true;
  length_ = kFirstDraft;
  last_drafted_ = 0;
  return text.kept;
}

/// Brings the place up to the end of the answer.
void PredictedText::follow(std::span<const Token> text) {
  const std::span<const Token> answer = text.subspan(std::min(prompt_, text.size()));
  for (; read_ < answer.size(); ++read_) {
    is_there_ = is_there_ && place_ < tokens_.size() && tokens_[place_] == answer[read_];
    if (is_there_) ++place_;
  }
  if (is_there_ || answer.empty()) return;
  const auto match = index_.longest_match(answer, kLongestMatch);
  if (match.tokens < kShortestMatch) return;
  // The next one after where the answer departed, else the nearest before it. The index counts from 1.
  const auto rank = [this](std::size_t position) {
    const std::size_t place = position - 1;
    return std::pair(place < place_, place < place_ ? place_ - place : place - place_);
  };
  const auto nearest =
      std::min_element(match.positions.begin(), match.positions.end(),
                       [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  place_ = *nearest - 1;
  is_there_ = true;
  length_ = kFirstDraft;
}

void PredictedText::fill(const DraftContext& context, TokenTree& tree) {
  follow(context.committed);
  last_drafted_ = 0;
  if (!is_there_ || place_ >= tokens_.size()) return;
  const std::size_t length = std::min(static_cast<std::size_t>(length_), tokens_.size() - place_);
  tree.add_draft(std::span(tokens_).subspan(place_, length), {.source = Source::kReference});
  last_drafted_ = tree.num_drafted();
}

void PredictedText::verified(std::span<const int> accepted, Token /*next*/) {
  const int kept = static_cast<int>(accepted.size());
  if (last_drafted_ == 0) return;
  length_ =
      kept == last_drafted_ ? std::min(2 * length_, kLongestDraft) : std::max(kept, kFirstDraft);
}

}  // namespace outrider::draft
