#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/reader/trace_stream.h"
#include "data/store/trace_store.h"

namespace outrider::train {

/// The traces of several stores as one stream: in proportion to their sizes, so that in an epoch of the
/// mix every trace is given once. The order depends on the stores, the options and the positions only.
class TraceMix {
 public:
  using Positions = std::vector<data::TraceStream::Position>;  // [stores]

  /// @param stores   must outlive the mix
  /// @param options  of each; traces are read one by one
  /// @param states   [stores], which must outlive the mix; empty: traces without hidden states
  /// @throws InputError if one has no traces in the subset
  TraceMix(const std::vector<data::TraceStore>& stores, const data::StreamOptions& options,
           std::span<data::StateSource* const> states = {});

  /// Traces of an epoch.
  std::int64_t size() const;
  Positions positions() const;
  /// @throws InputError for a position outside its store
  void seek(const Positions& positions);

  /// The next traces; at the end of an epoch the next one begins.
  std::vector<data::Trace> next(int count);
  /// Goes past as many without reading them: those of another worker.
  void skip(int count);

 private:
  data::TraceStream& most_due();

  std::vector<data::TraceStream> streams_;
};

}  // namespace outrider::train
