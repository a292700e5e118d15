#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/model/model.h"

namespace outrider::engine {

enum class Numerics { kF32 };
enum class Isa { kAuto, kScalar, kAvx2 };

struct EngineOptions {
  Numerics numerics = Numerics::kF32;
  Isa isa = Isa::kAuto;
  int threads = 0;  // 0: the physical cores
};

/// One token to forward. `parent` is the row of this pass it follows, or kCommitted: it follows the
/// sequence's last committed token.
struct Row {
  static constexpr int kCommitted = -1;
  Token token = 0;
  int sequence = 0;  // index into Pass::sequences
  int parent = kCommitted;
  bool wants_logits = false;
};

/// What a pass hands out beside logits; nothing is kept unless asked. Layer l is the output of
/// decoder layer l, counted from 1; 0 is the embedding; kFinalNorm the state after the final norm.
struct Taps {
  static constexpr int kFinalNorm = -1;
  std::vector<int> layers;                 // asked for
  std::vector<std::vector<float>> states;  // per asked layer [rows, width]
  struct Head {
    int layer;  // from 1
    int head;
  };
  std::vector<Head> heads;  // attention asked for, of every row
  // [head asked][row] -> attention over the positions of the row's path, [position + 1]
  std::vector<std::vector<std::vector<float>>> attention;
  bool best_keys = false;              // ask for the arg-max key of every head
  std::vector<std::int32_t> best_key;  // [rows, layers, heads] logical positions, ties: the lowest
};

/// Rows of any number of sequences, forwarded together. Rows of one sequence come in an order in
/// which parents precede children.
struct Pass {
  std::vector<KvCache*> sequences;
  std::vector<Row> rows;
  Taps* taps = nullptr;
  std::vector<float> logits;  // out: [rows that want them, vocab], in order of rows
};

/// The target's forward pass on the CPU. Row-pure: the bits of a row's logits and taps are a
/// function of its token, its position, the tokens on its path and the weights only.
class Engine {
 public:
  Engine(const model::Model& model, const EngineOptions& options);
  ~Engine();

  const model::ModelConfig& config() const;
  int threads() const;
  std::string isa_name() const;
  KvCache make_cache(int capacity) const;

  /// Writes the rows' keys and values behind each sequence's committed slots and fills
  /// `pass.logits` and `pass.taps`. Nothing is committed.
  void forward(Pass& pass);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace outrider::engine
