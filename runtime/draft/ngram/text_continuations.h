#pragma once

#include <cstdint>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/ngram_index.h"

namespace outrider::draft {

/// Drafts of what most often followed the last tokens of a text in it, the latest first on a tie. N-Grammys (Stewart et al.
/// 2024), section 4.2.
class TextContinuations {
 public:
  /// @param query   tokens looked up
  /// @param drafts  continuations at most
  /// @param length  tokens of each
  TextContinuations(int query, int drafts, int length)
      : index_(query, length, drafts), length_(length) {}

  std::int64_t bytes(int tokens) const { return index_.bytes(tokens); }
  /// Starts another text, in the same memory. @return as Drafter::begin
  int begin(const TextStart& text);
  /// Adds them below the root, the text's last token. @return how many there are
  int add(const DraftContext& context, TokenTree& tree);

 private:
  NgramIndex index_;
  int length_;
  std::vector<NgramIndex::Continuation> found_;  // a buffer
};

}  // namespace outrider::draft
