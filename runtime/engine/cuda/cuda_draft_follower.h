#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/engine/asked_draft.h"
#include "runtime/engine/cuda/cuda_kv_cache.h"
#include "runtime/engine/cuda/follow_args.h"

namespace outrider::engine::cuda {

/// Follows the choices after the rows of drafts on the device that made them, and moves the keys and values of the rows on
/// the paths, all queued behind the choices: the host finds both done when it reads the first choice.
///
///     begin;  send;  the choices;  launch;  the device is waited for;  note_moves
class CudaDraftFollower {
 public:
  explicit CudaDraftFollower(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  /// Takes those drafts whose rows may have to be moved and are all among the questions, of caches of the first one's kind:
  /// no chains, whose rows lie right. Where siblings have the same token a draft has several paths, and its rows are left to
  /// the host.
  /// @param first    number of the first question that is asked now
  /// @param choices  for each question that is, the number of what will be found about it
  void begin(std::span<const AskedDraft> drafts, std::size_t first, std::span<const int> choices);
  /// Copies them to the device.
  void send();
  /// How many there are: launches for as many differ in `found` alone.
  int count() const { return static_cast<int>(caches_.size()); }
  /// @param found  what the choices before have found
  void launch(const RowFound* found);
  /// Tells the caches what was moved.
  void note_moves() const;

 private:
  void reserve(const CudaKvCache& cache);
  void add(const AskedDraft& draft, std::span<const int> choices);

  std::shared_ptr<Gpu> gpu_;
  std::vector<CudaKvCache*> caches_;  // of the drafts that are followed

  // Made when the first draft is followed.
  int layers_ = 0;  // of the caches that are followed
  HeadShape shape_ = {};
  HostBuffer<FollowedDrafts> drafts_;  // one
  HostBuffer<FollowedPath> paths_;
  DeviceBuffer<FollowedDrafts> device_drafts_;
  DeviceBuffer<FollowedPath> device_paths_;
};

}  // namespace outrider::engine::cuda
