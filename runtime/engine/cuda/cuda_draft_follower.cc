#include "runtime/engine/cuda/cuda_draft_follower.h"

#include <algorithm>

namespace outrider::engine::cuda {
namespace {

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
  for (const AskedDraft& draft : drafts) {
    if (draft.first_question < first) continue;
    const std::size_t at = draft.first_question - first;
    if (at + draft.rows.size() > choices.size()) continue;
    if (is_chain(draft) || has_equal_siblings(draft.rows)) continue;
    add(draft, choices.subspan(at, draft.rows.size()));
  }
}

/// @param choices  of its rows
void CudaDraftFollower::add(const AskedDraft& draft, std::span<const int> choices) {
  auto* const cache = dynamic_cast<CudaKvCache*>(draft.cache);
  if (cache == nullptr || !cache->is_of(*gpu_)) return;
  reserve(*cache);
  if (cache->layers() != layers_ || cache->shape() != shape_) return;
  FollowedDrafts& drafts = drafts_[0];
  const std::size_t number = caches_.size();
  caches_.push_back(cache);
  drafts.places[number] = {cache->data(), cache->head_bytes(), cache->length()};
  if (number == 0) drafts.first_rows[0] = 0;
  DraftedRow* to = drafts.rows + drafts.first_rows[number];
  *to++ = {0, draft.rows.front().token, choices.front()};
  for (const Row& row : draft.rows.subspan(1)) {
    const int parent = row.parent - draft.first_row;
    *to++ = {parent, row.token, choices[static_cast<std::size_t>(parent)]};
  }
  drafts.first_rows[number + 1] = static_cast<int>(to - drafts.rows);
}

void CudaDraftFollower::reserve(const CudaKvCache& cache) {
  if (device_paths_.size() > 0) return;
  layers_ = cache.layers();
  shape_ = cache.shape();
  Device& device = *gpu_->device;
  drafts_ = {device, 1};
  paths_ = {device, FollowedDrafts::kMost};
  device_drafts_ = {device, 1};
  device_paths_ = {device, FollowedDrafts::kMost};  // the last, which says that all are there
}

void CudaDraftFollower::send() {
  if (!caches_.empty()) device_drafts_.copy_to(drafts_.span());
}

void CudaDraftFollower::launch(const RowFound* found) {
  if (caches_.empty()) return;
  gpu_->kernels->follow_drafts({.found = found,
                                .drafts = device_drafts_.data(),
                                .count = count(),
                                .paths = device_paths_.data()});
  gpu_->kernels->move_paths({.drafts = device_drafts_.data(),
                             .paths = device_paths_.data(),
                             .count = count(),
                             .layers = layers_,
                             .shape = shape_});
  device_paths_.copy_from(paths_.span().first(caches_.size()));
}

void CudaDraftFollower::note_moves() const {
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const FollowedPath& path = paths_[i];
    caches_[i]->note_moved({path.rows, static_cast<std::size_t>(path.length)});
  }
}

}  // namespace outrider::engine::cuda
