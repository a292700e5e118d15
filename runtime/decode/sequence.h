#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/finish_reason.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/grow_cache.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/logits.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/token_constraint.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::decode {

/// How an answer is generated, and how long it may be.
struct DecodeLimits {
  int max_new = 256;
  int prefill_chunk = 64;                  // rows of prompts in a pass
  std::vector<Token> end_tokens = {};      // end the answer, and are part of it
  std::function<bool()> interrupted = {};  // asked before every pass
  /// Taken instead of the target's choices, so that drafts for a given answer can be evaluated or its
  /// tokens scored; the answer ends with it at the latest. Empty: the target chooses.
  std::vector<Token> given = {};
  /// Makes what the answer has to be; empty: it may be anything, as one that is given may.
  sampling::NewConstraint new_constraint = {};
  /// Told of the row of logits that each token of the answer follows, before the token is handed out.
  std::function<void(const engine::Logits& logits, int row)> on_row = {};
};

/// One sequence, from turn to turn: its text, the KV cache, which holds the keys and values of the
/// text's first tokens, how the next token is chosen, and where the answer ends. It forwards nothing:
/// a Round does, turn by turn.
class Sequence {
 public:
  /// @param cache    empty, of at least as many tokens
  /// @param context  the most tokens the text may reach
  Sequence(std::unique_ptr<engine::KvCache> cache, int context);

  /// @throws InputError when `text` is empty or leaves no room for a token in the context
  static void check_text(std::span<const Token> text, int context);

  /// Begins an answer to `text`, everything so far (earlier turns included). Rows of it that are in the
  /// cache are kept, except that of its last token, whose logits give the answer's first.
  /// @throws InputError when `text` is empty or leaves no room for a token in the context; for a constraint that no token
  ///         of the vocabulary begins
  void begin(std::span<const Token> text, sampling::Sampler sampler, const DecodeLimits& limits);

  /// The most tokens that the text may reach.
  int context() const { return static_cast<int>(context_); }
  /// For the next answer; the cache must have the room.
  void set_context(int context) { context_ = static_cast<std::size_t>(context); }

  engine::KvCache& cache() { return *cache_; }
  /// Makes room in the cache for so many tokens, the rows of drafts included.
  void reserve(const engine::Engine& engine, int tokens) {
    engine::grow_cache(engine, cache_, tokens, tokens);
  }
  /// Whether it was neither released nor moved to another sequence.
  bool has_cache() const { return cache_ != nullptr; }
  /// How many tokens of the text the cache holds, and which.
  int held() const { return cache_->length(); }
  std::span<const Token> held_tokens() const {
    return std::span(text_).first(static_cast<std::size_t>(held()));
  }
  /// Replaces them by the first `tokens` rows of another sequence, whose tokens are those of the text.
  void adopt(const Sequence& other, int tokens) { cache_->copy_prefix(*other.cache_, tokens); }
  /// Length of the common prefix with another text, without the last token before the answer, whose row is
  /// always forwarded.
  int shared_with(std::span<const Token> tokens) const;
  /// The cache, after the sequence has ended.
  std::unique_ptr<engine::KvCache> release() { return std::move(cache_); }

  /// The prompt and the tokens taken.
  std::span<const Token> text() const { return std::span(text_).first(length_); }
  /// Tokens before the answer.
  int prompt() const { return static_cast<int>(prompt_); }
  /// The tokens taken.
  std::span<const Token> answer() const { return text().subspan(prompt_); }
  /// The tokens that can be forwarded now: the text, or the prompt and a given answer without its last
  /// token.
  std::span<const Token> known() const {
    return std::span(text_).first(text_.size() - (is_given() ? 1 : 0));
  }

  /// Of the answer.
  const DecodeLimits& limits() const { return limits_; }
  /// Tokens that may still be taken.
  int left() const;
  /// What its choices depend on besides logits, and so what drafters need to choose as it does.
  sampling::SequenceSampling sampling() const { return sampler_->sampling(counts_); }
  /// The token at a position from the next one of the text on, where an answer is given: nothing where the target
  /// chooses.
  std::optional<Token> given(int position) const;
  /// What the answer has to be, after the tokens taken; null: anything.
  sampling::TokenConstraint* constraint() const { return constraint_.get(); }
  /// The tokens that may be taken next, of a sequence that has not finished; empty: all.
  sampling::TokenMask allowed() const;
  /// Takes the next token. @return false where the answer ends with it
  /// @throws InputError where the answer has to go on, and no token of the vocabulary does that
  bool take(Token token);

  /// Ends the answer; the reason given last counts.
  void finish(FinishReason reason) { finish_ = reason; }
  bool finished() const { return finish_.has_value(); }
  /// Why the answer ended; only of one that has.
  FinishReason finish_reason() const { return finish_.value(); }

 private:
  bool is_given() const { return !limits_.given.empty(); }
  void check_goes_on();

  std::unique_ptr<engine::KvCache> cache_;
  std::size_t context_;
  std::optional<sampling::Sampler> sampler_;
  sampling::TokenCounts counts_;  // of the text, if the sampler uses them
  DecodeLimits limits_;
  std::unique_ptr<sampling::TokenConstraint> constraint_;
  std::vector<Token> text_;  // with all tokens of a given answer from the start
  std::size_t prompt_ = 0;   // tokens
  std::size_t length_ = 0;   // tokens of the prompt and those taken
  std::optional<FinishReason> finish_;
};

}  // namespace outrider::decode
