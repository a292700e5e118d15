#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/engine_options.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/score_kernels.h"
#include "runtime/model/model.h"

namespace outrider::engine {

class Engine;

/// A way to compute passes over an engine's weights that must give the engine's bits: an instruction
/// set, a kind of kernel.
struct Variant {
  std::string name;
  /// Makes such an engine of so many threads. The engine it is of must be there still.
  std::function<std::unique_ptr<Engine>(int threads)> make;
};

/// A model's forward pass. Row-pure: the bits of a row's logits and of all that is observed of it are a
/// function of its token or state, its position, the rows on its path and the weights only.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const model::ModelConfig& config() const = 0;
  /// How many logits a row has: the vocabulary, or the tokens of a trimmed head (Model::head_tokens).
  virtual int num_logits() const = 0;
  virtual int threads() const = 0;
  /// Names of the numerics and of the instruction set in use.
  virtual std::string numerics_name() const = 0;
  virtual std::string isa_name() const = 0;
  /// Bytes of packed weights that a pass reads, those of the logits included.
  virtual std::int64_t weight_bytes() const = 0;

  /// @param capacity  tokens, rows that are not committed included
  virtual std::unique_ptr<KvCache> make_cache(int capacity) const = 0;
  /// What the keys and values of so many tokens take.
  virtual std::int64_t cache_bytes(int tokens) const = 0;

  /// Writes the state that a token's row begins with: what a row may be given in its place (Row::state).
  /// @param state  [width]
  virtual void embed(Token token, std::span<float> state) const = 0;

  /// Writes the rows' keys and values after those that each sequence holds, and fills `pass.logits` and
  /// `pass.observed`. Nothing is committed.
  /// @throws std::logic_error for rows that are no part of a tree, tokens outside the vocabulary, a cache
  ///         that is full or of another engine's kind, a request for what the model lacks
  virtual void forward(Pass& pass) = 0;

  /// Calls work(thread) on each of the engine's threads, between passes, and returns when all are
  /// done: a second team beside it would spin on cores that this one needs. `work` must not throw.
  virtual void run_on_threads(const std::function<void(int)>& work) = 0;
  /// Its threads, for another engine to share (EngineOptions::team).
  virtual std::shared_ptr<ThreadTeam> team() const = 0;

  /// An engine of so many threads of its own over the same packed weights.
  virtual std::unique_ptr<Engine> with_threads(int threads) const = 0;
  /// All that this machine has, the plainest first.
  virtual std::vector<Variant> variants() const = 0;
  /// @throws InputError for one that this machine lacks
  virtual Variant variant(const std::string& name) const = 0;
  /// How rows of its logits are scored where its results are.
  virtual const ScoreKernels& score_kernels() const = 0;
};

/// Repacks the weights. `model` must outlive the engine.
/// @throws InputError for weights that are not finite, a shape that the kernels do not take, an instruction set that this
///         processor lacks, or a number of threads out of range
/// @throws std::logic_error for a number of threads that is not that of the team to be shared
std::unique_ptr<Engine> make_engine(const model::Model& model, const EngineOptions& options);

}  // namespace outrider::engine
