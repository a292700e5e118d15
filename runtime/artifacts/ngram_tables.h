#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/base/token.h"

namespace outrider::artifacts {

inline constexpr const char* kNgramGroup = "/ngrammys";

/// What a model says after nothing and after every single token, without any text of a user: drafts that cost
/// nothing. N-Grammys (Stewart et al. 2024), section 4.1.
struct NgramTables {
  std::vector<Token> unigram;    // [vocab] all tokens, the likeliest first
  std::string unigram_measure;   // "distance" or "inner"
  int top = 0;                   // k: next tokens kept for each token
  std::vector<Token> next;       // [vocab, top] the likeliest first
  std::vector<float> log_probs;  // [vocab, top] natural, at temperature 1
  std::string bigram_context;    // "none": tokens alone; "chat": the first of an answer in a chat
  // How the model goes on, greedily, behind the likeliest next tokens; empty where it was not asked.
  int extended_rows = 0;        // of the next tokens, how many
  int extended_length = 0;      // tokens behind each
  std::vector<Token> extended;  // [vocab, extended_rows, extended_length]
  std::string numerics;         // of the forward pass that they came from

  int vocab() const { return static_cast<int>(unigram.size()); }
  /// The likeliest next tokens of one token, [top].
  std::span<const Token> next_of(Token token) const {
    return std::span(next).subspan(static_cast<std::size_t>(token) * static_cast<std::size_t>(top),
                                   static_cast<std::size_t>(top));
  }
  /// What the model says behind a token and its next one of this rank; nothing where it was not asked.
  std::span<const Token> extension_of(Token token, int rank) const {
    if (rank >= extended_rows) return {};
    const auto length = static_cast<std::size_t>(extended_length);
    const auto row = static_cast<std::size_t>(token) * static_cast<std::size_t>(extended_rows) +
                     static_cast<std::size_t>(rank);
    return std::span(extended).subspan(row * length, length);
  }
};

/// Adds them to a group. @param group  for replace_group
void write_ngram_tables(const NgramTables& tables, hdf5::Writer& file, const std::string& group);

/// @throws InputError when the file lacks them or a token is none of the target's
NgramTables read_ngram_tables(const ArtifactFile& file);

}  // namespace outrider::artifacts
