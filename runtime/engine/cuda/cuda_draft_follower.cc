#include "runtime/engine/cuda/cuda_draft_follower.h"

#include <algorithm>

namespace outrider::engine::cuda {
namespace {

/// A draft that is no chain has three rows.
constexpr std::size_t kMostFollowed = FollowedPath::kMost / 3;

bool is_chain(const AskedDraft& draft) {
  for (std::size_t i = 1; i < draft.rows.size(); ++i)
    if (draft.rows[i].parent != draft.first_row + static_cast<int>(i) - 1) return false;
  return true;
}

bool has_equal_siblings(std::span<const Row> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t other = 1; other < i; ++other)
      if (rows[other].parent == rows[i].parent && rows[other].token == rows[i].token) return true;
  return false;
}

}  // namespace

void CudaDraftFollower::begin(std::span<const AskedDraft> drafts, std::size_t first,
                              std::span<const int> choices) {
  caches_.clear();
  rows_.clear();
  first_rows_.assign(1, 0);
  for (const AskedDraft& draft : drafts) {
    if (draft.first_question < first) continue;
    const std::size_t at = draft.first_question - first;
    if (at + draft.rows.size() > choices.size()) continue;
    if (is_chain(draft) || has_equal_siblings(draft.rows)) continue;
    add(draft, choices.subspan(at, draft.rows.size()));
  }
  if (caches_.empty()) return;
  reserve();
  std::copy(rows_.begin(), rows_.end(), host_rows_.span().begin());
  std::copy(first_rows_.begin(), first_rows_.end(), host_first_rows_.span().begin());
}

/// @param choices  of its rows
void CudaDraftFollower::add(const AskedDraft& draft, std::span<const int> choices) {
  auto* const cache = dynamic_cast<CudaKvCache*>(draft.cache);
  if (cache == nullptr || !cache->is_of(*gpu_)) return;
  caches_.push_back(cache);
  rows_.push_back({0, draft.rows.front().token, choices.front()});
  for (const Row& row : draft.rows.subspan(1)) {
    const int parent = row.parent - draft.first_row;
    rows_.push_back({parent, row.token, choices[static_cast<std::size_t>(parent)]});
  }
  first_rows_.push_back(static_cast<int>(rows_.size()));
}

void CudaDraftFollower::reserve() {
  if (device_rows_.size() > 0) return;
  Device& device = *gpu_->device;
  constexpr std::size_t kRows = FollowedPath::kMost;
  host_rows_ = {device, kRows};
  host_first_rows_ = {device, kMostFollowed + 1};
  host_paths_ = {device, kMostFollowed};
  device_first_rows_ = {device, kMostFollowed + 1};
  device_paths_ = {device, kMostFollowed};
  device_rows_ = {device, kRows};  // the last, which says that all are there
}

void CudaDraftFollower::send() {
  if (caches_.empty()) return;
  device_rows_.copy_to(host_rows_.span().first(rows_.size()));
  device_first_rows_.copy_to(host_first_rows_.span().first(first_rows_.size()));
}

void CudaDraftFollower::launch(const RowFound* found) {
  if (caches_.empty()) return;
  gpu_->kernels->follow_drafts({.found = found,
                                .rows = device_rows_.data(),
                                .first_rows = device_first_rows_.data(),
                                .drafts = static_cast<int>(caches_.size()),
                                .paths = device_paths_.data()});
  for (std::size_t i = 0; i < caches_.size(); ++i) caches_[i]->move_path(device_paths_.data() + i);
}

void CudaDraftFollower::fetch() {
  if (!caches_.empty()) device_paths_.copy_from(host_paths_.span().first(caches_.size()));
}

void CudaDraftFollower::note_moves() const {
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const FollowedPath& path = host_paths_[i];
    caches_[i]->note_moved({path.rows, static_cast<std::size_t>(path.length)});
  }
}

}  // namespace outrider::engine::cuda
