#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/try_again.h"
#include "train/workers/card_link.h"

namespace outrider::train {

/// The processes that train one run together: workers 0 to count() - 1, this being one of them. All call the same
/// functions in the same order.
class Workers {
 public:
  virtual ~Workers() = default;

  virtual int rank() const = 0;
  /// A power of two.
  virtual int count() const = 0;

  /// Gives one other worker bytes and takes as many of its own.
  /// @throws TryAgain if it has ended or does not answer
  void exchange(int other, std::span<const std::byte> mine, std::span<std::byte> theirs);
  /// The same of numbers, f32: on the workers' cards where these are linked, else in the processor's memory.
  void exchange(int other, const at::Tensor& mine, const at::Tensor& theirs);
  /// Makes numbers go from card to card; all else goes through the hosts' memory.
  void link_cards(std::unique_ptr<CardLink> link) { link_ = std::move(link); }
  bool has_linked_cards() const { return link_ != nullptr; }
  /// What gradients go by: "gloo", or the name of what links the cards.
  const char* gradients_by() const { return link_ == nullptr ? "gloo" : link_->name(); }
  /// Bytes that this worker has sent since the start.
  std::int64_t sent_bytes() const { return sent_bytes_; }

  /// What every worker has to say, by rank.
  std::vector<std::string> gather(const std::string& mine);
  /// The bits that any worker has set.
  unsigned any(unsigned bits);
  /// Gives all workers the bytes of worker 0.
  void broadcast(std::span<std::byte> bytes);

 private:
  /// As `exchange`, of a byte or more.
  virtual void swap(int other, std::span<const std::byte> mine, std::span<std::byte> theirs) = 0;

  std::int64_t sent_bytes_ = 0;
  std::unique_ptr<CardLink> link_;
};

/// Says that a worker was lost, to all that wait for it.
/// @param seconds  that it was waited for
/// @param reason   what the library says
TryAgain no_answer(int rank, int count, int other, double seconds, const std::string& reason);

/// Whether a number of workers can share a tree of sums.
constexpr bool is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

}  // namespace outrider::train
