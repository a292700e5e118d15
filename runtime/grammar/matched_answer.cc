#include "runtime/grammar/matched_answer.h"

#include <algorithm>

namespace outrider::grammar {

MatchedAnswer::MatchedAnswer(const xgrammar::CompiledGrammar& grammar, int vocab)
    : matcher_(grammar), mask_(sampling::mask_words(static_cast<std::size_t>(vocab))) {}

sampling::TokenMask MatchedAnswer::allowed() {
  if (is_filled_) return mask_;
  // After an end token nothing comes. Where all tokens are allowed the mask is not written.
  std::fill(mask_.begin(), mask_.end(), matcher_.IsTerminated() ? 0 : ~std::uint32_t{0});
  if (!matcher_.IsTerminated()) {
    std::int64_t shape = std::ssize(mask_);
    DLTensor tensor = {};
    tensor.data = mask_.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 1;
    tensor.dtype = xgrammar::GetBitmaskDLType();
    tensor.shape = &shape;
    matcher_.FillNextTokenBitmask(&tensor);
  }
  is_filled_ = true;
  return mask_;
}

bool MatchedAnswer::accept(Token token) {
  if (matcher_.IsTerminated() || !matcher_.AcceptToken(token)) return false;
  is_filled_ = false;
  return true;
}

void MatchedAnswer::roll_back(int tokens) {
  if (tokens == 0) return;
  matcher_.Rollback(tokens);
  is_filled_ = false;
}

bool MatchedAnswer::is_complete() const {
  return matcher_.IsTerminated() || matcher_.IsCompleted();
}

std::string MatchedAnswer::forced() {
  return matcher_.IsTerminated() ? "" : matcher_.FindJumpForwardString();
}

}  // namespace outrider::grammar
