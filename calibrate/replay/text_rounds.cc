#include "calibrate/replay/text_rounds.h"

namespace outrider::calibrate {

TextRounds::Verified TextRounds::verify(const draft::TokenTree& tree,
                                        std::span<const Token> to_come) {
  std::size_t next = 0;
  const decode::VerifiedDraft verified = decode::verify(
      tree, verifier_, [&](int /*node*/) { return to_come[next]; },
      [&](Token, const draft::Origin&) { return ++next < to_come.size(); });
  return {verified, static_cast<int>(next)};
}

}  // namespace outrider::calibrate
