#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu {

/// Inputs of a product: floats [rows, width] and, when the weights are quantised, their quantised
/// form as well.
class RowBuffer {
 public:
  RowBuffer(int width, bool quantised) : width_(width), quantised_(quantised) {}

  /// Makes room for the `rows` rows of a pass. Earlier contents are lost.
  void reserve(int rows) {
    rows_ = rows;
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_);
    if (floats_.size() >= count) return;
    floats_ = AlignedBuffer<float>(count);
    if (!quantised_) return;
    quants_ = AlignedBuffer<std::int8_t>(count);
    scales_ = AlignedBuffer<BlockScale>(count / 32);
  }

  float* row(int i) { return floats_.data() + row_offset(i); }

  /// Marks the numbers [first, first + count) of row i as final; both multiples of 32.
  void finish(const Kernels& kernels, int i, int first, int count) {
    if (!quantised_) return;
    const std::size_t block = static_cast<std::size_t>(first / 32 * rows_ + i);
    kernels.quantise(floats_.data() + row_offset(i) + first, count, rows_,
                     quants_.data() + 32 * block, scales_.data() + block);
  }

  /// Makes row `to` a copy of row i of another buffer of this width.
  void copy_row(const RowBuffer& from, int i, int to) {
    std::copy_n(from.floats_.data() + from.row_offset(i), width_, row(to));
    if (!quantised_) return;
    for (int b = 0; b < width_ / 32; ++b) {
      const auto source = static_cast<std::size_t>(b * from.rows_ + i);
      const auto target = static_cast<std::size_t>(b * rows_ + to);
      std::copy_n(from.quants_.data() + 32 * source, 32, quants_.data() + 32 * target);
      scales_.data()[target] = from.scales_.data()[source];
    }
  }

  /// Fills the operands of `product` with the rows from `first_row` on.
  void read_by(Product& product, int first_row) const {
    product.x = floats_.data() + row_offset(first_row);
    if (!quantised_) return;
    product.quants = quants_.data() + 32 * static_cast<std::size_t>(first_row);
    product.scales = scales_.data() + first_row;
    product.activation_stride = rows_;
  }

 private:
  std::size_t row_offset(int i) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(width_);
  }

  int width_;
  bool quantised_;
  int rows_ = 0;
  AlignedBuffer<float> floats_;        // [rows, width]
  AlignedBuffer<std::int8_t> quants_;  // [width / 32, rows, 32]: one block of all rows together
  AlignedBuffer<BlockScale> scales_;   // [width / 32, rows]
};

}  // namespace outrider::engine::cpu
