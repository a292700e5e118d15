#pragma once

#include <filesystem>
#include <vector>

#include "data/store/shard_columns.h"
#include "data/store/store_identity.h"
#include "data/trace.h"
#include "runtime/hdf5/reader.h"

namespace outrider::data {

/// The traces of one shard. Everything except hidden states, a few megabytes, is read and checked on
/// opening; states are read per trace.
class ShardReader {
 public:
  /// @throws InputError naming file and dataset for anything that differs from data/README.md, or belongs
  ///         to a store of another identity
  ShardReader(const std::filesystem::path& path, const StoreIdentity& identity, int shard);
  ShardReader(hdf5::Reader file, const StoreIdentity& identity, int shard);

  std::size_t size() const { return columns_.traces(); }
  /// Its number in the store.
  int shard() const { return shard_; }
  /// The row of the i-th trace's first position among those of all the shard's traces, one after the other; with
  /// i = size() the number of all rows.
  std::uint64_t first_position(std::size_t i) const { return first_position_[i]; }
  const ShardColumns& columns() const { return columns_; }

  /// The i-th trace of the shard, with the stored hidden states.
  Trace trace(std::size_t i) const;
  /// Hidden states of the i-th trace after one layer, [positions, width].
  /// @throws InputError if the store has none of that layer
  std::vector<Bfloat16> states(std::size_t i, int layer) const;

 private:
  hdf5::Reader file_;
  StoreIdentity identity_;
  int shard_;
  ShardColumns columns_;
  std::vector<std::uint64_t> first_position_;  // [traces + 1] rows in the states' datasets
};

}  // namespace outrider::data
