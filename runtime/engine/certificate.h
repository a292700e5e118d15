#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::engine {

struct CertifyOptions {
  Numerics numerics = Numerics::kAuto;
  bool quantise = false;  // float weights to Q8_0 at load
  std::vector<Isa> isas;  // empty: all that this processor has
  std::vector<int> threads = {1, 2, 3, 4};
  int max_context = 300;  // committed tokens before a tree
  int max_rows = 48;      // rows of a tree
  std::uint64_t seed = 1;
};

/// What has been compared with one-row decoding, for one instruction set.
struct CertifyCounts {
  std::string isa;
  std::int64_t passes = 0;
  std::int64_t rows = 0;        // of which logits, taps, keys and values were compared
  int deepest_path = 0;         // accepted rows committed at once, at most
  std::int64_t moved_rows = 0;  // committed rows that a commit had to move
};

struct Certificate {
  std::vector<CertifyCounts> counts;
  std::string numerics;
  std::uint64_t logits_hash = 0;  // of a fixed text; the same on every machine
  std::int64_t cases = 0;
  std::optional<std::string> difference;  // the first one: layer, operation, case
};

/// Puts the row-purity of the engine to the test: random texts, each followed by a random tree,
/// forwarded with random chunks of the prompt, orders of rows and neighbours of other sequences, by
/// every instruction set and number of threads; every bit of logits, taps, keys and values must be
/// what decoding one row at a time on one thread gives. Paths of the trees are committed and decoded
/// on from.
///
/// @param go_on  asked before each case; the first case always runs
Certificate certify(const model::Model& model, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on);

/// The hash of the logits after each token of a fixed text: the same on every machine, instruction
/// set and number of threads.
std::uint64_t hash_of_fixed_text(Engine& engine);

}  // namespace outrider::engine
