#pragma once

#include <string>

#include "train/workers/nccl.h"

namespace outrider::train {

/// NCCL, loaded, or why it is not.
struct NcclLibrary {
  nccl::Functions functions{};
  int version = 0;      // as ncclGetVersion numbers it: 22809 is 2.28.9
  std::string file;     // that was loaded
  std::string missing;  // why it cannot be used, what was looked for, and the cure; empty: it can

  /// "2.28.9"
  std::string version_text() const;
};

/// Loads libnccl.so.2: the file that OUTRIDER_NCCL names; else the one that LibTorch's kernels for CUDA have loaded or that the
/// system's loader finds; else the one of NVIDIA's wheel beside libtorch_cuda.so. It is never unloaded.
NcclLibrary load_nccl();

}  // namespace outrider::train
