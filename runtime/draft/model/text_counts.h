#pragma once

#include <cstddef>

#include "runtime/draft/drafter.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::draft {

/// The target's token counts along a text, brought up to date round by round; a drafter may add the tokens
/// of a path while it drafts, and takes them back.
class TextCounts {
 public:
  /// Starts a text.
  void start() { counted_ = 0; }

  /// Makes room for a text of this many tokens, those of a path included.
  void reserve(int tokens) { counts.reserve(static_cast<std::size_t>(tokens)); }

  /// Brings them up to the text, where its sampling uses counts.
  void follow(const DraftContext& context) {
    if (!context.sampling.options.uses_counts()) return;
    if (counted_ == 0) {
      counts = context.sampling.counts;
    } else {
      for (const Token token : context.committed.subspan(counted_)) counts.add(token);
    }
    counted_ = context.committed.size();
  }

  sampling::TokenCounts counts{{}};

 private:
  std::size_t counted_ = 0;  // tokens; 0: none yet
};

}  // namespace outrider::draft
