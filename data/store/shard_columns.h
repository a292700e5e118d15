#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/store/ragged.h"
#include "data/store/store_identity.h"
#include "data/trace.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::data {

/// The datasets of a shard except hidden states: a column per property of the traces. data/README.md
/// describes them.
struct ShardColumns {
  Ragged<std::uint8_t> ids;
  Ragged<std::uint8_t> tasks;
  std::vector<std::int32_t> turns;
  std::vector<std::int32_t> samples;
  std::vector<double> temperatures;
  std::vector<std::uint64_t> sequence_seeds;
  std::vector<std::uint8_t> finishes;
  Ragged<Token> prompts;
  std::vector<std::uint8_t> prompt_loss_mask;
  Ragged<Token> outputs;
  std::vector<std::uint8_t> output_loss_mask;
  std::vector<Token> top_ids;          // [output tokens, k]
  std::vector<float> top_log_probs;    // [output tokens, k]
  std::vector<float> entropies;        // [output tokens]
  std::vector<float> tail_masses;      // [output tokens]
  std::vector<std::uint8_t> in_loops;  // [output tokens]

  std::size_t traces() const { return turns.size(); }
  /// The i-th trace, without hidden states.
  Trace trace(std::size_t i, int top_k) const;
};

/// @throws std::logic_error for an inconsistent trace
ShardColumns columns_of(std::span<const Trace> traces, const StoreIdentity& identity);

void write_columns(const ShardColumns& columns, const StoreIdentity& identity, hdf5::Writer& file);

/// Reads and checks all shapes, offsets, ids and flags.
/// @throws InputError naming file and dataset
ShardColumns read_columns(const hdf5::Reader& file, const StoreIdentity& identity);

}  // namespace outrider::data
