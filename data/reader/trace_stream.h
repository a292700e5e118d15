#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "data/reader/state_source.h"
#include "data/split.h"
#include "data/store/trace_store.h"

namespace outrider::data {

struct StreamOptions {
  std::uint64_t seed = 0;  // of the order
  int batch = 8;           // traces at a time; an epoch's last batch may be shorter
  int window = 8;          // shards that are in memory and mixed at a time
  /// Only the traces of these prompts, as `data split` divides them; nothing: all.
  std::optional<Subset> subset = {};
  SplitOptions split = {};
};

/// The traces of a store in batches for training, epoch after epoch, each in an order of its own:
/// the shards are shuffled, and the traces within each window of them. The order depends on the
/// store, the options and the epoch only, so reading goes on from any position as if never
/// interrupted.
class TraceStream {
 public:
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t trace = 0;  // of the epoch
    bool operator==(const Position& other) const = default;
  };

  /// @param states  nullptr: the traces come without; both must outlive the stream
  /// @throws InputError when there is nothing to read
  TraceStream(const TraceStore& store, const StreamOptions& options, StateSource* states);

  /// Traces of an epoch.
  std::int64_t size() const { return size_; }
  Position position() const { return position_; }
  /// @throws InputError for a position that the store does not have
  void seek(const Position& position);

  /// The next traces of the epoch; at its end the next epoch begins.
  std::vector<Trace> next();

 private:
  struct Place {
    std::size_t reader;  // in the window
    std::size_t trace;   // in its shard
  };
  void count_traces();
  /// Those of a shard's traces that are to be read.
  std::vector<std::size_t> chosen(const ShardReader& reader) const;
  void shuffle_shards();
  void open_window();
  Trace read(const Place& place);

  const TraceStore& store_;
  StreamOptions options_;
  StateSource* states_;
  std::int64_t size_ = 0;
  Position position_;
  std::map<int, std::int64_t> sizes_;  // traces to be read, by shard; at least one
  std::vector<int> shards_;            // in the order of the epoch
  std::vector<ShardReader> window_;
  std::vector<Place> order_;       // of the window's traces
  std::int64_t window_begin_ = 0;  // its first trace in the epoch; it ends with order_
};

}  // namespace outrider::data
