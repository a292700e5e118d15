#include "runtime/engine/logits.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace outrider::engine {

std::size_t Logits::checked(int i) const {
  if (i < 0 || i >= rows_)
    throw std::logic_error(fmt::format("Logits: row {} of {} is asked for", i, rows_));
  return static_cast<std::size_t>(i);
}

float Logits::number(int i, int index) const {
  const std::size_t row = checked(i);
  if (index < 0 || index >= width_)
    throw std::logic_error(fmt::format("Logits: number {} of {} is asked for", index, width_));
  const auto at = static_cast<std::size_t>(index);
  if (elsewhere_ == nullptr) return host_[row * stride_ + at];
  return fetched_[row].is_there ? fetched_[row].row[at] : elsewhere_->fetch_one(i, index);
}

std::span<const float> Logits::row(int i) const {
  const std::size_t index = checked(i);
  const auto width = static_cast<std::size_t>(width_);
  if (elsewhere_ == nullptr) return {host_.data() + index * stride_, width};
  Fetched& fetched = fetched_[index];
  if (!fetched.is_there) {
    fetched.row.resize(width);
    elsewhere_->fetch(i, fetched.row);
    fetched.is_there = true;
  }
  return fetched.row;
}

float* Logits::on_host(int rows, int width, std::size_t stride) {
  rows_ = rows;
  width_ = width;
  stride_ = stride;
  elsewhere_.reset();
  const std::size_t size = static_cast<std::size_t>(rows) * stride;
  if (host_.size() < size) host_.resize(size);  // only the added part is cleared
  return host_.data();
}

void Logits::leave(int rows, int width, std::shared_ptr<Elsewhere> there) {
  rows_ = rows;
  width_ = width;
  elsewhere_ = std::move(there);
  for (Fetched& fetched : fetched_) fetched.is_there = false;
  if (fetched_.size() < static_cast<std::size_t>(rows))
    fetched_.resize(static_cast<std::size_t>(rows));
}

}  // namespace outrider::engine
