#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

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
  kForced,     // the only text that the answer's grammar allows
};
/// How many there are.
inline constexpr std::size_t kSources = static_cast<std::size_t>(Source::kForced) + 1;
/// "context", "bigram", …: the name in records.
const char* name_of(Source source);

/// The source of a drafted token; one struct for all drafters.
struct Origin {
  static constexpr int kNone = -1;
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();  // std::isnan tells
  static constexpr double kUnknownChance = 0.5;  // what an unknown chance counts as

  Source source = Source::kNone;
  int rank = 0;          // of its draft within the source; 0 is best
  int position = kNone;  // in the text, copied from
  /// Natural logarithm of the probability that a trained drafter gave the token after its parent; kUnknown where
  /// none did: copies and tables are not drawn from a distribution over the vocabulary.
  float log_q = kUnknown;
  /// The chance that the target accepts the token once it has accepted all before it, where a drafter estimates that
  /// itself; kUnknown: see TokenTree::chance.
  float chance = kUnknown;
  const Drafter* drafter = nullptr;  // filled in by the tree, see TokenTree::set_drafter
};

}  // namespace outrider::draft
