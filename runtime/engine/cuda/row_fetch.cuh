#pragma once

#include "runtime/engine/cuda/numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// How the threads of a block copy the inputs of a product to shared memory, round after round. A round has some groups of
/// `blocks` blocks of 32 inputs. A group has the quants of `rows` rows, two blocks together, then their scales, and then
/// their sums where weights have a zero point.
template <int rows, int groups, int blocks, int threads, bool sums>
struct RowFetchForm {
  static constexpr int kRows = rows;
  static constexpr int kGroups = groups;
  static constexpr int kBlocks = blocks;  // even
  static constexpr int kThreads = threads;
  static constexpr int kQuantBytes = blocks * rows * 32;
  static constexpr int kScaleBytes = blocks * rows * 8;
  static constexpr int kGroupBytes = kQuantBytes + (sums ? 2 : 1) * kScaleBytes;
  /// In units of 16 bytes, which one thread copies at once.
  static constexpr int kQuantUnits = groups * kQuantBytes / 16;
  static constexpr int kScaleUnits = groups * kScaleBytes / 16;
  static constexpr int kUnits = groups * kGroupBytes / 16;
  static constexpr int kOfThread = (kUnits + threads - 1) / threads;
};

/// One thread's part. Where a unit lies is found once: in a round only addresses are added.
template <class Form>
class RowFetch {
 public:
  /// @param rows  that there are from the first on: what is past the last is not copied, since its sums are not used
  DEVICE RowFetch(const QuantisedRows& x, int first_row, int rows) {
#pragma unroll
    for (int n = 0; n < Form::kOfThread; ++n)
      units_[n] = unit(x, first_row, rows, thread_of_block() + n * Form::kThreads);
  }

  /// @param to    of the round's first group
  /// @param left  blocks from the round's first one on
  DEVICE void fetch(int round, std::uint8_t* to, int left) const {
#pragma unroll
    for (int n = 0; n < Form::kOfThread; ++n)
      if (units_[n].block < left)
        copy_async_16(to + units_[n].to,
                      units_[n].from + static_cast<std::size_t>(round) * units_[n].step);
  }

 private:
  static constexpr int kNoBlock = 0x7fffffff;

  struct Unit {
    const std::uint8_t* from;  // in the first round
    unsigned step;             // bytes from a round to the next
    int to;                    // offset in a round
    int block;                 // of the round; kNoBlock: there is nothing to copy
  };

  DEVICE static Unit unit(const QuantisedRows& x, int first_row, int rows, int u) {
    constexpr int kOfPair = Form::kRows * 4, kOfBlock = Form::kRows / 2;
    constexpr int kPairs = Form::kBlocks / 2, kRound = Form::kGroups * Form::kBlocks;
    const auto row_stride = static_cast<unsigned>(x.stride);
    if (u < Form::kQuantUnits) {
      const int pair = u / kOfPair, in_pair = u % kOfPair;
      return {reinterpret_cast<const std::uint8_t*>(x.quants) +
                  (static_cast<std::size_t>(pair) * row_stride + first_row) * 64 + 16 * in_pair,
              kRound / 2 * row_stride * 64,
              pair / kPairs * Form::kGroupBytes + 16 * (pair % kPairs * kOfPair + in_pair),
              in_pair < 4 * rows ? 2 * pair : kNoBlock};
    }
    const bool is_scale = u < Form::kQuantUnits + Form::kScaleUnits;
    const int v = (u - Form::kQuantUnits) % Form::kScaleUnits;
    const int block = v / kOfBlock, row = v % kOfBlock * 2;
    const auto* from = is_scale ? reinterpret_cast<const std::uint8_t*>(x.scales)
                                : reinterpret_cast<const std::uint8_t*>(x.sums);
    return {from + (static_cast<std::size_t>(block) * row_stride + first_row + row) * 8,
            kRound * row_stride * 8,
            block / Form::kBlocks * Form::kGroupBytes + Form::kQuantBytes +
                (is_scale ? 0 : Form::kScaleBytes) +
                16 * (block % Form::kBlocks * kOfBlock + row / 2),
            row < rows && u < Form::kUnits ? block : kNoBlock};
  }

  Unit units_[Form::kOfThread];
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
