#include "runtime/decode/sequence.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::decode {

Sequence::Sequence(std::unique_ptr<engine::KvCache> cache, int context)
    : cache_(std::move(cache)), context_(static_cast<std::size_t>(context)), counts_({}) {}

void Sequence::check_text(std::span<const Token> text, int context) {
  if (text.empty()) throw InputError("the prompt is empty: expected at least one token");
  if (std::ssize(text) >= context)
    throw InputError(fmt::format(
        "the prompt has {} tokens, which leaves no room in a context of {}", text.size(), context));
}

void Sequence::begin(std::span<const Token> text, sampling::Sampler sampler,
                     const DecodeLimits& limits) {
  check_text(text, context());
  cache_->truncate(static_cast<int>(common_prefix(held_tokens(), text.first(text.size() - 1))));

  limits_ = limits;
  sampler_.emplace(std::move(sampler));
  finish_.reset();
  // Room for the whole answer at once: steps allocate nothing.
  const std::size_t most =
      std::min(static_cast<std::size_t>(limits.max_new), context_ - text.size());
  const bool uses_counts = sampler_->options().uses_counts();
  counts_ = sampling::TokenCounts(uses_counts ? text : text.first(0));
  if (uses_counts) counts_.reserve(text.size() + most);
  text_.reserve(text.size() + most);
  text_.assign(text.begin(), text.end());
  prompt_ = length_ = text.size();
  limits_.given.resize(std::min(limits.given.size(), most));
  text_.insert(text_.end(), limits_.given.begin(), limits_.given.end());
  constraint_ = limits.new_constraint && !is_given() ? limits.new_constraint() : nullptr;
  if (constraint_ != nullptr) check_goes_on();
}

sampling::TokenMask Sequence::allowed() const {
  return constraint_ == nullptr ? sampling::TokenMask() : constraint_->allowed();
}

/// Ends an answer that is complete, and that no token of the vocabulary goes on with.
void Sequence::check_goes_on() {
  if (sampling::allows_any(constraint_->allowed())) return;
  if (!constraint_->is_complete())
    throw InputError(
        "the answer cannot be what its format asks for: after the tokens so far no token of the "
        "model's vocabulary goes on with it; expected a schema whose texts this vocabulary can "
        "write");
  finish(FinishReason::kStop);
}

int Sequence::shared_with(std::span<const Token> tokens) const {
  return static_cast<int>(common_prefix(std::span(text_).first(prompt_ - 1), tokens));
}

int Sequence::left() const {
  const std::size_t room = is_given() ? text_.size() - length_ : context_ - length_;
  return std::min(static_cast<int>(room), limits_.max_new - static_cast<int>(answer().size()));
}

std::optional<Token> Sequence::given(int position) const {
  if (!is_given()) return std::nullopt;
  return text_[static_cast<std::size_t>(position)];
}

bool Sequence::take(Token token) {
  if (!is_given()) {
    if (constraint_ != nullptr && !constraint_->accept(token))
      throw std::logic_error("Sequence::take: a token that was not allowed");
    text_.push_back(token);
    if (sampler_->options().uses_counts()) counts_.add(token);
  }
  ++length_;
  const std::vector<Token>& ends = limits_.end_tokens;
  if (!is_given() && std::find(ends.begin(), ends.end(), token) != ends.end()) {
    finish(FinishReason::kStop);
  } else if (static_cast<int>(answer().size()) >= limits_.max_new) {
    finish(FinishReason::kLength);
  } else if (length_ >= context_) {
    finish(FinishReason::kContext);
  } else if (is_given() && length_ == text_.size()) {
    finish(FinishReason::kStop);
  } else if (constraint_ != nullptr) {
    check_goes_on();
  }
  return !finished();
}

}  // namespace outrider::decode
