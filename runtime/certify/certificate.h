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

/// What has been compared with one-row decoding, for one variant.
struct CertifyCounts {
  std::string variant;
  std::set<int> threads = {};
  int shortest_context = 0;  // before a tree
  int longest_context = 0;
  std::int64_t passes = 0;
  std::int64_t rows = 0;  // of which logits, taps, keys and values were compared
  std::int64_t logits_rows =
      0;                 // of these, those that wanted logits; their scores were compared too
  int deepest_path = 0;  // accepted rows committed at once, at most
  std::int64_t moved_rows = 0;       // committed rows that a commit had to move
  std::int64_t continued_rows = 0;   // that follow a row held from an earlier pass
  std::int64_t state_rows = 0;       // given as states
  std::int64_t copied_rows = 0;      // whose keys and values were copied from another sequence
  std::int64_t rows_after_cuts = 0;  // of texts that went on after they were cut
  std::int64_t attention_rows = 0;   // asked for their attention after they were committed
  int most_sequences = 0;            // in a pass
};

struct Certificate {
  std::vector<CertifyCounts> counts;
  std::uint64_t logits_hash = 0;          // of a fixed text; the same on every machine
  std::int64_t cases = 0;                 // compared by every variant
  std::optional<std::string> difference;  // the first one: operation, layer, row, case
};

/// Puts the row-purity of the engine to the test: random texts, each followed by a random tree, of one
/// to three sequences together or of 32, by every variant and number of threads, as InCompany forwards
/// them. Then a path of every tree is committed and decoded on from, and the text is cut and gone on with.
/// Every bit of logits, of their scores, of what was requested, of keys and values of every row must be
/// what decoding one row at a time on one thread gives.
///
/// @param engine  whose weights are used, and whose kernels decode one row at a time
/// @param go_on  asked before each case, and in it before each variant; false ends the work
Certificate certify(const engine::Engine& engine, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on);

/// The hash of the logits after each token of a fixed text: the same on every machine, instruction
/// set and number of threads.
std::uint64_t hash_of_fixed_text(engine::Engine& engine);

}  // namespace outrider::certify
