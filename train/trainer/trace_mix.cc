#include "train/trainer/trace_mix.h"

#include <iterator>
#include <stdexcept>

namespace outrider::train {
namespace {

/// Traces given since the beginning.
std::int64_t taken(const data::TraceStream& stream) {
  return stream.position().epoch * stream.size() + stream.position().trace;
}

}  // namespace

TraceMix::TraceMix(const std::vector<data::TraceStore>& stores, const data::StreamOptions& options,
                   std::span<data::StateSource* const> states) {
  data::StreamOptions one_by_one = options;
  one_by_one.batch = 1;
  for (std::size_t i = 0; i < stores.size(); ++i)
    streams_.emplace_back(stores[i], one_by_one, states.empty() ? nullptr : states[i]);
}

std::int64_t TraceMix::size() const {
  std::int64_t size = 0;
  for (const data::TraceStream& stream : streams_) size += stream.size();
  return size;
}

TraceMix::Positions TraceMix::positions() const {
  Positions positions;
  for (const data::TraceStream& stream : streams_) positions.push_back(stream.position());
  return positions;
}

void TraceMix::seek(const Positions& positions) {
  if (positions.size() != streams_.size())
    throw std::logic_error("TraceMix: as many positions as stores");
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].seek(positions[i]);
}

data::TraceStream& TraceMix::most_due() {
  // The t-th trace of a store of s is due at (t + 1/2) / s of an epoch: the earliest of all, without
  // rounding; on a tie the first store's.
  data::TraceStream* due = &streams_.front();
  for (data::TraceStream& stream : streams_)
    if ((2 * taken(stream) + 1) * due->size() < (2 * taken(*due) + 1) * stream.size())
      due = &stream;
  return *due;
}

std::vector<data::Trace> TraceMix::next(int count) {
  std::vector<data::Trace> traces;
  while (std::ssize(traces) < count) traces.push_back(std::move(most_due().next().front()));
  return traces;
}

void TraceMix::skip(int count) {
  for (int i = 0; i < count; ++i) most_due().skip();
}

}  // namespace outrider::train
