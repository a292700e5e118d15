#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/model/config.h"

namespace outrider::engine::cuda {

/// Rows as products take them, with as many numbers as the widest of them has.
class OperandBuffer {
 public:
  OperandBuffer() = default;
  OperandBuffer(Device& device, int rows, int width);

  static std::int64_t bytes(int rows, int width);

  /// @param floats, quants  what the product takes
  Operand of(int rows, bool floats, bool quants) const;

 private:
  struct Sizes {
    std::size_t floats;
    std::size_t quants;
    std::size_t scales;  // and of the sums
  };
  static Sizes sizes(int rows, int width);

  DeviceBuffer<float> floats_;
  DeviceBuffer<std::int8_t> quants_;
  DeviceBuffer<BlockScales> scales_;
  DeviceBuffer<BlockSums> sums_;
};

/// The memory of a pass's rows between its steps. Grows with the largest pass; growing moves it, so that graphs that
/// were captured before must not be replayed.
class PassBuffers {
 public:
  PassBuffers(Device& device, const model::ModelConfig& config);

  bool has_room(int rows, int splits) const { return rows <= rows_ && splits <= splits_; }
  /// Makes room for so many rows, those with logits among them, and splits of attention: without room memory moves.
  void reserve(int rows, int splits);

  /// The bytes that it then has.
  static std::int64_t bytes(const model::ModelConfig& config, int rows, int splits);

  /// Rows of an operand of this pass, padded to whole tiles.
  static int stride_for(int rows);

  DeviceBuffer<float> residual;  // [rows, width]
  DeviceBuffer<float> qkv;       // [rows, heads + 2 kv_heads, head_width]
  DeviceBuffer<float>
      attended;  // [rows, heads, head_width], where these are not quantised head by head
  DeviceBuffer<float> gate;    // [rows, ffn_width]
  DeviceBuffer<float> up;      // [rows, ffn_width]
  DeviceBuffer<float> scores;  // as in AttentionArgs, and so are the next four
  DeviceBuffer<float> maxima;
  DeviceBuffer<float> partial;
  DeviceBuffer<float> totals;
  DeviceBuffer<unsigned> finished;

  /// What products take: normalised or attended rows, and activated ones, which are made while the others are read.
  OperandBuffer inputs;
  OperandBuffer activated;

 private:
  /// Numbers in each.
  struct Sizes {
    std::size_t residual, qkv, attended, ffn;
    std::size_t scores, maxima, partial, totals;  // 0 for one split
    std::size_t finished;
    int widest_input;
  };
  static Sizes sizes(const model::ModelConfig& config, int rows, int splits);

  Device* device_;
  model::ModelConfig config_;
  int rows_ = 0;
  int splits_ = 0;
};

}  // namespace outrider::engine::cuda
