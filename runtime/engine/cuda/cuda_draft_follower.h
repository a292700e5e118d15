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
///     begin;  send;  the choices;  launch;  fetch;  the device is waited for;  note_moves
class CudaDraftFollower {
 public:
  explicit CudaDraftFollower(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  /// Takes those drafts whose rows may have to be moved and are all among the questions: no chains, whose rows lie
  /// right. Where siblings have the same token a draft has several paths, and its rows are left to the host.
  /// @param first    number of the first question that is asked now
  /// @param choices  for each question that is, the number of what will be found about it
  void begin(std::span<const AskedDraft> drafts, std::size_t first, std::span<const int> choices);
  /// Copies them to the device.
  void send();
  /// @param found  what the choices before have found
  void launch(const RowFound* found);
  void fetch();
  /// Tells the caches what was moved.
  void note_moves() const;

 private:
  void reserve();
  void add(const AskedDraft& draft, std::span<const int> choices);

  std::shared_ptr<Gpu> gpu_;
  std::vector<CudaKvCache*> caches_;  // of the drafts that are followed
  std::vector<DraftedRow> rows_;
  std::vector<int> first_rows_;

  // Made when the first draft is followed.
  HostBuffer<DraftedRow> host_rows_;
  HostBuffer<int> host_first_rows_;
  HostBuffer<FollowedPath> host_paths_;
  DeviceBuffer<DraftedRow> device_rows_;
  DeviceBuffer<int> device_first_rows_;
  DeviceBuffer<FollowedPath> device_paths_;
};

}  // namespace outrider::engine::cuda
