#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/reader/state_source.h"
#include "data/store/trace_store.h"
#include "runtime/base/input_path.h"

namespace outrider::data {

/// What is read of a cache in a folder.
std::vector<InputPath> cache_at(const std::string& folder);

/// States of a store that are computed once and kept in a folder: a file a shard, which appears when it is
/// whole. Several stores, layers and processes can share a folder; a file that another process wrote
/// meanwhile is replaced by the same bytes.
class StateCache : public StateSource {
 public:
  /// @param store     must outlive it
  /// @param folder    is made if it is missing
  /// @param layers    as in recomputed_states
  /// @param computed  gives the states of these layers; must outlive it
  /// @throws InputError if the folder cannot be made
  StateCache(const TraceStore& store, std::filesystem::path folder, std::vector<int> layers,
             StateSource& computed);

  /// The bytes of the store's states, written or not.
  std::int64_t bytes() const;
  /// Shards without a file, in order.
  std::vector<int> missing() const;
  /// Positions of a shard: the tokens that are forwarded for it.
  std::int64_t positions(int shard) const;
  /// Computes the states of a shard's traces and writes its file.
  void fill(int shard);

  /// Fills the shard if it has no file.
  /// @throws InputError naming the file, if it is damaged or of another store
  std::vector<LayerStates> states(const ShardReader& shard, std::size_t i,
                                  const Trace& trace) override;

 private:
  /// Everything that the content of a shard's file depends on.
  std::string key(int shard) const;
  std::filesystem::path path(int shard) const;
  void write(const ShardReader& reader);

  const TraceStore& store_;
  std::filesystem::path folder_;
  std::vector<int> layers_;
  StateSource& computed_;
};

}  // namespace outrider::data
