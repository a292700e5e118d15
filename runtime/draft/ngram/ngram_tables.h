#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// A model's most likely tokens without context, and after every single token: drafts at no cost. N-Grammys (Stewart et al. 2024), section 4.1.
struct NgramTables {
  std::vector<Token> unigram;    // [vocab] all tokens, most likely first
  std::string unigram_measure;   // "distance" or "inner"
  int top = 0;                   // k: next tokens per token
  std::vector<Token> next;       // [vocab, top] most likely first
  std::vector<float> log_probs;  // [vocab, top] natural, at temperature 1
  std::string bigram_context;    // "none": without context; "chat": first in an answer of a chat
  // The model's greedy continuation after the most likely next tokens; empty if it was not computed.
  int extended_rows = 0;        // number of next tokens with a continuation
  int extended_length = 0;      // tokens after each
  std::vector<Token> extended;  // [vocab, extended_rows, extended_length]
  std::string numerics;         // of the forward passes
  /// Tokens per pass in replayed answers by table tried: "unigram_inner", "bigram_chat", …
  std::map<std::string, double> tokens_per_pass;

  /// Memory that they take.
  std::size_t bytes() const {
    return (unigram.size() + next.size() + extended.size()) * sizeof(Token) +
           log_probs.size() * sizeof(float);
  }
  int vocab() const { return static_cast<int>(unigram.size()); }
  /// The most likely next tokens of one token, [top].
  std::span<const Token> next_of(Token token) const {
    return std::span(next).subspan(static_cast<std::size_t>(token) * static_cast<std::size_t>(top),
                                   static_cast<std::size_t>(top));
  }
  /// Their logarithms of probabilities, [top].
  std::span<const float> log_probs_of(Token token) const {
    return std::span(log_probs).subspan(
        static_cast<std::size_t>(token) * static_cast<std::size_t>(top),
        static_cast<std::size_t>(top));
  }
  /// The continuation after a token and its next token of this rank, [extended_length]; empty if it was not
  /// computed.
  std::span<const Token> extension_of(Token token, int rank) const {
    if (rank >= extended_rows) return {};
    const auto length = static_cast<std::size_t>(extended_length);
    const auto row = static_cast<std::size_t>(token) * static_cast<std::size_t>(extended_rows) +
                     static_cast<std::size_t>(rank);
    return std::span(extended).subspan(row * length, length);
  }
};

using TablesPtr = std::shared_ptr<const NgramTables>;

}  // namespace outrider::draft
