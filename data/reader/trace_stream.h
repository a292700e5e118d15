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
  int window = 8;          // shards in memory and mixed at a time
  /// Only traces of this subset of `data split`; nothing: all.
  std::optional<Subset> subset = {};
  SplitOptions split = {};
};

/// The traces of a store in batches for training. In every epoch the shards are shuffled, and the traces
/// within each window of shards. The order depends on the store, the options and the epoch only, so
/// reading can resume at any position.
class TraceStream {
 public:
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t trace = 0;  // of the epoch
    bool operator==(const Position& other) const = default;
  };

  /// @param states  nullptr: no hidden states; both must outlive the stream
  /// @throws InputError if there are no traces
  TraceStream(const TraceStore& store, const StreamOptions& options, StateSource* states);

  /// Traces of an epoch.
  std::int64_t size() const { return size_; }
  Position position() const { return position_; }
  /// @throws InputError for a position outside the store
  void seek(const Position& position);

  /// The next traces; at the end of an epoch the next epoch begins.
  std::vector<Trace> next();
  /// Goes past the next trace without reading it or its states.
  void skip();

 private:
  struct Entry {
    std::size_t reader;  // in the window
    std::size_t trace;   // in its shard
  };
  void count_traces();
  /// The indices of a shard's traces in the subset.
  std::vector<std::size_t> chosen(const ShardReader& reader) const;
  void shuffle_shards();
  void open_window();
  Trace read(const Entry& entry);

  const TraceStore& store_;
  StreamOptions options_;
  StateSource* states_;
  std::int64_t size_ = 0;
  Position position_;
  std::map<int, std::int64_t> sizes_;  // traces in the subset, by shard; at least one
  std::vector<int> shards_;            // in the order of the epoch
  std::vector<ShardReader> window_;
  std::vector<Entry> order_;       // of the window's traces
  std::int64_t window_begin_ = 0;  // index of its first trace in the epoch
};

}  // namespace outrider::data
