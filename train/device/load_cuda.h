#pragma once

#include <string>

namespace outrider::train {

/// Loads LibTorch's kernels for CUDA, a library beside the one that programs are linked with, and starts CUDA.
/// @param library  its file, or the name by which the system's loader finds it
/// @return why computing with CUDA is not possible, with the cure; empty: it is
std::string load_cuda(const std::string& library = "libtorch_cuda.so");

}  // namespace outrider::train
