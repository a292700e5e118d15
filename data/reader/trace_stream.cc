#include "data/reader/trace_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::data {
namespace {

/// Fisher-Yates shuffle, because the order of std::shuffle depends on the library.
template <typename T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

std::mt19937_64 random_of(std::uint64_t seed, std::int64_t epoch, std::int64_t window) {
  std::seed_seq mixed{seed & 0xffffffff, seed >> 32, static_cast<std::uint64_t>(epoch),
                      static_cast<std::uint64_t>(window)};
  return std::mt19937_64(mixed);
}

}  // namespace

TraceStream::TraceStream(const TraceStore& store, const StreamOptions& options, StateSource* states)
    : store_(store), options_(options), states_(states) {
  if (options_.batch < 1 || options_.window < 1)
    throw std::logic_error("TraceStream: empty batch or window");
  count_traces();
  if (size_ == 0) {
    const std::string of = options_.subset ? fmt::format(" of {}", name_of(*options_.subset)) : "";
    throw InputError(fmt::format("{}: has no traces{} to read", store_.folder().string(), of));
  }
  seek({});
}

void TraceStream::count_traces() {
  for (const auto& [shard, entry] : store_.manifest().shards) {
    std::int64_t count = entry.traces;
    if (options_.subset) count = std::ssize(chosen(store_.open(shard, false)));
    if (count > 0) sizes_[shard] = count;
    size_ += count;
  }
}

std::vector<std::size_t> TraceStream::chosen(const ShardReader& reader) const {
  std::vector<std::size_t> traces;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    const auto bytes = reader.columns().ids[i];
    const std::string id(bytes.begin(), bytes.end());
    if (!options_.subset || subset_of(id, options_.split) == *options_.subset) traces.push_back(i);
  }
  return traces;
}

void TraceStream::seek(const Position& position) {
  if (position.epoch < 0 || position.trace < 0 || position.trace >= size_)
    throw InputError(fmt::format("{}: expected a trace from 0 to {}, found {} of epoch {}",
                                 store_.folder().string(), size_ - 1, position.trace,
                                 position.epoch));
  position_ = position;
  shuffle_shards();
  open_window();
}

void TraceStream::shuffle_shards() {
  shards_.clear();
  for (const auto& [shard, size] : sizes_) shards_.push_back(shard);
  std::mt19937_64 random = random_of(options_.seed, position_.epoch, -1);
  shuffle(shards_, random);
}

void TraceStream::open_window() {
  const std::size_t width = static_cast<std::size_t>(options_.window);
  std::size_t first = 0;
  window_begin_ = 0;
  for (;; first += width) {
    std::int64_t traces = 0;
    for (std::size_t i = first; i < std::min(first + width, shards_.size()); ++i)
      traces += sizes_.at(shards_[i]);
    if (position_.trace < window_begin_ + traces) break;
    window_begin_ += traces;
  }
  window_.clear();
  order_.clear();
  for (std::size_t i = first; i < std::min(first + width, shards_.size()); ++i) {
    window_.push_back(store_.open(shards_[i], false));
    const std::vector<std::size_t> traces = chosen(window_.back());
    for (const std::size_t trace : traces) order_.push_back({window_.size() - 1, trace});
  }
  std::mt19937_64 random =
      random_of(options_.seed, position_.epoch, static_cast<std::int64_t>(first));
  shuffle(order_, random);
}

std::vector<Trace> TraceStream::next() {
  std::vector<Trace> batch;
  while (std::ssize(batch) < options_.batch) {
    if (position_.trace == window_begin_ + std::ssize(order_)) open_window();
    batch.push_back(read(order_[static_cast<std::size_t>(position_.trace - window_begin_)]));
    if (++position_.trace == size_) {
      seek({position_.epoch + 1, 0});
      break;
    }
  }
  return batch;
}

void TraceStream::skip() {
  if (position_.trace == window_begin_ + std::ssize(order_)) open_window();
  if (++position_.trace == size_) seek({position_.epoch + 1, 0});
}

Trace TraceStream::read(const Entry& entry) {
  const ShardReader& reader = window_[entry.reader];
  Trace trace = reader.columns().trace(entry.trace, store_.identity().top_k);
  if (states_ != nullptr) trace.states = states_->states(reader, entry.trace, trace);
  return trace;
}

}  // namespace outrider::data
