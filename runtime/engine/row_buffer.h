#pragma once

#include <cstdint>

#include "runtime/engine/aligned_buffer.h"
#include "runtime/engine/kernels.h"

namespace outrider::engine {

/// Activations on their way into a product: floats [rows, width] and, when the weights are
/// quantised, their quantised form beside them.
class RowBuffer {
 public:
  RowBuffer(int width, bool quantised) : width_(width), quantised_(quantised) {}

  void reserve(int rows) {
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_);
    if (floats_.size() >= count) return;
    floats_ = AlignedBuffer<float>(count);
    if (!quantised_) return;
    quants_ = AlignedBuffer<std::int8_t>(count);
    scales_ = AlignedBuffer<BlockScale>(count / 32);
  }

  float* row(int i) { return floats_.data() + offset(i); }

  /// Says that the numbers [first, first + count) of row i are final; both multiples of 32.
  void finish(const Kernels& kernels, int i, int first, int count) {
    if (!quantised_) return;
    const std::size_t begin = offset(i) + static_cast<std::size_t>(first);
    kernels.quantise(floats_.data() + begin, count, quants_.data() + begin,
                     scales_.data() + begin / 32);
  }

  /// Fills the operands of `product` with the rows from `first_row` on.
  void read_by(Product& product, int first_row) const {
    product.x = floats_.data() + offset(first_row);
    if (!quantised_) return;
    product.quants = quants_.data() + offset(first_row);
    product.scales = scales_.data() + offset(first_row) / 32;
  }

 private:
  std::size_t offset(int i) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(width_);
  }

  int width_;
  bool quantised_;
  AlignedBuffer<float> floats_;
  AlignedBuffer<std::int8_t> quants_;
  AlignedBuffer<BlockScale> scales_;
};

}  // namespace outrider::engine
