#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/ahead_reader.h"
#include "runtime/engine/engine_options.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/place.h"
#include "runtime/engine/row_reader.h"
#include "runtime/engine/score_kernels.h"
#include "runtime/model/model.h"

namespace outrider::engine {

class Engine;

/// An implementation of passes over an engine's weights that must give the engine's bits: an
/// instruction set, a kind of kernel.
struct Variant {
  std::string name;
  /// Makes such an engine with this number of workers. The original engine must outlive it.
  std::function<std::unique_ptr<Engine>(int workers)> make;
};

/// A model's forward pass. Row-pure: the bits of a row's logits and observations are a function of
/// its token or state, its position, the rows on its path and the weights only.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const model::ModelConfig& config() const = 0;
  /// How many logits a row has: the vocabulary, or the tokens of a trimmed head (Model::head_tokens).
  virtual int num_logits() const = 0;
  /// What it computes on.
  virtual const Place& place() const = 0;
  /// How many share the work of a pass: threads of a processor, multiprocessors of a GPU. No bit depends on it.
  virtual int workers() const = 0;
  /// The name of the numerics in use.
  virtual std::string numerics_name() const = 0;
  /// Bytes of weights that passes read where they run, including those of the logits.
  virtual std::int64_t weight_bytes() const = 0;

  /// @param capacity  tokens, including rows that are not committed
  virtual std::unique_ptr<KvCache> make_cache(int capacity) const = 0;
  /// The bytes of the keys and values of this many tokens.
  virtual std::int64_t cache_bytes(int tokens) const = 0;
  /// Bytes that are free where its keys and values lie, if that is not the host's memory.
  virtual std::optional<std::int64_t> free_bytes_elsewhere() const { return std::nullopt; }

  /// Writes the initial hidden state of a token's row, which a row may be given instead
  /// (Row::state).
  /// @param state  [width]
  virtual void embed(Token token, std::span<float> state) const = 0;

  /// Writes the rows' keys and values after those that each sequence's cache holds, and fills
  /// `pass.logits` and `pass.observed`. Commits nothing.
  /// @throws std::logic_error for rows that do not form a tree, tokens outside the vocabulary or of
  ///         a model that takes states only, a cache that is full or of another kind of engine, a
  ///         request for layers or heads that the model lacks
  virtual void forward(Pass& pass) = 0;

  /// Calls work(thread) on each of the processor's threads that the engine has, between passes, and returns when all
  /// have finished: others would spin on cores that these need. `work` must not throw.
  virtual void run_on_threads(const std::function<void(int)>& work) = 0;

  /// An engine of another model in the same place, which shares this one's threads or stream: two teams would spin
  /// on each other's cores. Passes of the two take turns. Either may be destroyed first.
  /// @param options  the device is this engine's, and so is the instruction set where it is kAuto. Threads: 0, or as
  ///                 many as the engine has, share them; 1 is the caller's alone
  /// @throws InputError as make_engine
  /// @throws std::logic_error for another number of threads
  virtual std::unique_ptr<Engine> beside(const model::Model& model,
                                         const EngineOptions& options) const = 0;

  /// An engine with so many workers of its own over the same packed weights.
  virtual std::unique_ptr<Engine> with_workers(int workers) const = 0;
  /// All variants that this machine supports, the reference first.
  virtual std::vector<Variant> variants() const = 0;
  /// @throws InputError for a variant that this machine lacks
  virtual Variant variant(const std::string& name) const = 0;
  /// Reads the rows of its passes where they lie, if that is not the host; null: it is. The engine must outlive it.
  virtual std::unique_ptr<RowReader> make_row_reader(const RowReaderOptions& /*options*/) {
    return nullptr;
  }
  /// Drafts ahead where its passes run; null: nothing is gained by it, or the engine cannot. The engine must outlive it.
  virtual std::unique_ptr<AheadReader> make_ahead_reader(const RowReaderOptions& /*options*/) {
    return nullptr;
  }
  /// How rows of its logits are scored on the host.
  virtual const ScoreKernels& score_kernels() const = 0;
};

/// Repacks the weights. `model` must outlive the engine. DeviceChoice::Kind::kAuto is the first card where there is one, the
/// model fits and neither threads nor an instruction set are given, else the processor.
/// @throws InputError for weights that are not finite, a shape that the kernels do not take, an instruction set that this
///         processor lacks, a number of threads out of range, or a device that is not there
std::unique_ptr<Engine> make_engine(const model::Model& model, const EngineOptions& options);

}  // namespace outrider::engine
