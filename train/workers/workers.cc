#include "train/workers/workers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace outrider::train {
namespace {

template <typename Number>
Number exchanged(Workers& workers, int other, Number mine) {
  Number theirs{};
  workers.exchange(other, std::as_bytes(std::span(&mine, 1)),
                   std::as_writable_bytes(std::span(&theirs, 1)));
  return theirs;
}

std::span<std::byte> bytes_of(const at::Tensor& numbers) {
  return std::as_writable_bytes(
      std::span(numbers.mutable_data_ptr<float>(), static_cast<std::size_t>(numbers.numel())));
}

}  // namespace

void Workers::exchange(int other, std::span<const std::byte> mine, std::span<std::byte> theirs) {
  if (mine.empty()) return;
  swap(other, mine, theirs);
  sent_bytes_ += static_cast<std::int64_t>(mine.size());
}

void Workers::exchange(int other, const at::Tensor& mine, const at::Tensor& theirs) {
  if (link_ == nullptr) return exchange(other, bytes_of(mine), bytes_of(theirs));
  if (mine.numel() == 0) return;
  link_->swap(other, mine, theirs);
  sent_bytes_ += static_cast<std::int64_t>(mine.nbytes());
}

std::vector<std::string> Workers::gather(const std::string& mine) {
  std::vector<std::string> all(static_cast<std::size_t>(count()));
  all[static_cast<std::size_t>(rank())] = mine;
  for (int distance = 1; distance < count(); ++distance) {
    const int other = rank() ^ distance;  // which pairs all workers
    const std::uint64_t theirs = exchanged<std::uint64_t>(*this, other, mine.size());
    std::string sent = mine, taken;
    sent.resize(std::max<std::size_t>(sent.size(), theirs));
    taken.resize(sent.size());
    exchange(other, std::as_bytes(std::span(sent)), std::as_writable_bytes(std::span(taken)));
    taken.resize(theirs);
    all[static_cast<std::size_t>(other)] = taken;
  }
  return all;
}

unsigned Workers::any(unsigned bits) {
  for (int distance = 1; distance < count(); distance *= 2)
    bits |= exchanged<unsigned>(*this, rank() ^ distance, bits);
  return bits;
}

void Workers::broadcast(std::span<std::byte> bytes) {
  std::vector<std::byte> theirs(bytes.size());
  for (int distance = 1; distance < count(); distance *= 2) {
    if (rank() >= 2 * distance) continue;  // its partner does not have them yet either
    exchange(rank() ^ distance, bytes, theirs);
    if (rank() >= distance) std::copy(theirs.begin(), theirs.end(), bytes.begin());
  }
}

TryAgain no_answer(int rank, int count, int other, double seconds, const std::string& reason) {
  return TryAgain(
      fmt::format("worker {} of {}: worker {} has ended or did not answer for {} s; when all are "
                  "started again, the run goes on from its checkpoint ({})",
                  rank, count, other, static_cast<std::int64_t>(seconds), reason));
}

}  // namespace outrider::train
