#pragma once

#include <cstdint>

namespace outrider::draft {

class Drafter;

enum class Source : std::uint8_t {
  kNone,       // not drafted: the target's own token
  kContext,    // copied from the text so far
  kBigram,     // a table of the target's predictions after one token
  kUnigram,    // a table of the target's predictions without context
  kModel,      // a draft model
  kRecycled,   // the target's predictions earlier in the text
  kReference,  // copied from a user's own texts
};
/// "context", "bigram", …: the name in records.
const char* name_of(Source source);

/// Where a drafted token came from; one struct for all drafters.
struct Origin {
  static constexpr int kNone = -1;

  Source source = Source::kNone;
  int rank = 0;          // of its draft within the source; 0 is best
  int position = kNone;  // in the text, copied from
  float log_q = 0;       // natural logarithm of the drafter's probability, if it has one
  const Drafter* drafter = nullptr;  // filled in by the tree, see TokenTree::set_drafter
};

}  // namespace outrider::draft
