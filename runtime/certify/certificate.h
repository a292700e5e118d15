#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::certify {

struct CertifyOptions {
  std::vector<engine::Variant> variants;  // empty: all of the engine
  std::vector<int> threads = {1, 2, 3, 4};
  int max_context = 300;  // committed tokens before a tree
  int max_rows = 48;      // rows of a tree
  std::uint64_t seed = 1;
};

/// Counts of what was compared with one-row decoding, for one variant.
struct CertifyCounts {
  std::string variant;
  std::set<int> threads = {};
  int shortest_context = 0;  // before a tree
  int longest_context = 0;
  std::int64_t passes = 0;
  std::int64_t rows = 0;            // whose logits, taps, keys and values were compared
  std::int64_t logits_rows = 0;     // of these, rows with logits; their scores were compared too
  int deepest_path = 0;             // accepted rows committed at once, at most
  std::int64_t moved_rows = 0;      // committed rows that changed slots
  std::int64_t continued_rows = 0;  // that follow a row held from an earlier pass
  std::int64_t state_rows = 0;      // given as states
  std::int64_t copied_rows = 0;     // with keys and values copied from another sequence
  std::int64_t rows_after_truncation = 0;  // forwarded after a truncation
  std::int64_t attention_rows = 0;         // whose attention was compared after their commit
  int most_sequences = 0;                  // in a pass
};

struct Certificate {
  std::vector<CertifyCounts> counts;
  std::uint64_t logits_hash = 0;          // of a fixed text; the same on every machine
  std::int64_t cases = 0;                 // compared for every variant
  std::optional<std::string> difference;  // the first one: operation, layer, row, case
};

/// Tests the row-purity of the engine: random texts, each followed by a random tree, one to three or 32
/// sequences together, with every variant and number of threads, forwarded by BatchedPasses. Then a path
/// of every tree is committed, one more token decoded, and the text truncated and continued. Every bit of
/// the logits, their scores, the requested outputs, and the keys and values of every row must equal those
/// of decoding one row at a time on one thread.
///
/// @param engine  decodes one row at a time. Its variants are usually its own, and may be another place's: a GPU's are
///                compared with a processor's engine of the same model and numerics
/// The fastest variant is compared first in each case, and the texts of the first case are short.
///
/// @param go_on  called before each case and each of its passes; false stops, also in the middle of a case
Certificate certify(const engine::Engine& engine, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on);

/// Tokens of the fixed text, fewer where the model has fewer positions: three splits of attention.
inline constexpr int kFixedTextTokens = 600;

/// The hash of the logits after each token of a fixed text: the same on every machine, instruction
/// set and number of threads.
/// @param tokens  of the text, its first ones
std::uint64_t hash_of_fixed_text(engine::Engine& engine, int tokens = kFixedTextTokens);

}  // namespace outrider::certify
