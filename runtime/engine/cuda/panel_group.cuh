#pragma once

#include "runtime/engine/cuda/gpu.h"
#include "runtime/engine/cuda/kernel_args.h"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// The panels that a block of threads computes, of one of a product's matrices. The second coordinate of the grid counts
/// the groups of all matrices.
struct PanelGroup {
  int matrix;
  int first_panel;

  /// @param panels  of a block
  DEVICE PanelGroup(const ProductArgs& a, int panels) : matrix(0) {
    int group = static_cast<int>(blockIdx.y);
    for (; matrix + 1 < a.count; ++matrix) {
      const int groups = (a.matrices[matrix].num_panels + panels - 1) / panels;
      if (group < groups) break;
      group -= groups;
    }
    first_panel = group * panels;
  }
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
