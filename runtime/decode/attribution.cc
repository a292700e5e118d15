#include "runtime/decode/attribution.h"

#include "runtime/draft/origin.h"

namespace outrider::decode {

int Attribution::origin_of(int source) const {
  return source < prompt_ ? source : origins_[static_cast<std::size_t>(source - prompt_)];
}

void Attribution::push(int source) {
  const int token = static_cast<int>(origins_.size());
  const int origin = origin_of(source);
  origins_.push_back(origin);
  if (origin == draft::Origin::kNone) return;
  if (!spans_.empty()) {
    CopiedSpan& last = spans_.back();
    if (token - last.end <= 1 && origin - last.source == token - last.begin) {
      // A draft continues the source after the token that precedes it: the token between is copied too.
      if (token > last.end) origins_[static_cast<std::size_t>(token) - 1] = origin - 1;
      last.end = token + 1;
      return;
    }
    if (is_short(last)) spans_.pop_back();
  }
  spans_.push_back({token, token + 1, origin});
  // The draft continues an occurrence of the token before it, which is copied too; unless the source is the answer's
  // first token, or one whose own origin begins a span.
  if (token == 0 || origin == 0 || origin_of(source - 1) != origin - 1) return;
  int& before = origins_[static_cast<std::size_t>(token) - 1];
  if (before != draft::Origin::kNone) return;
  before = origin - 1;
  --spans_.back().begin;
  --spans_.back().source;
}

std::vector<CopiedSpan> Attribution::spans() const {
  std::vector<CopiedSpan> spans = spans_;
  if (!spans.empty() && is_short(spans.back())) spans.pop_back();
  return spans;
}

int Attribution::decided() const {
  const int made = static_cast<int>(origins_.size());
  // The token after a span may still belong to it, and the last token to the next one.
  if (spans_.empty() || spans_.back().end + 1 < made)
    return origins_.empty() || origins_.back() != draft::Origin::kNone ? made : made - 1;
  return is_short(spans_.back()) ? spans_.back().begin : spans_.back().end;
}

}  // namespace outrider::decode
