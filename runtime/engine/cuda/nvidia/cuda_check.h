#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace outrider::engine::cuda::nvidia {

/// Makes an exception of a status other than success.
/// @param what  the call, or what was launched
/// @throws std::runtime_error
inline void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error("CUDA: " + what + ": " + cudaGetErrorName(status) + ", " +
                           cudaGetErrorString(status));
}

}  // namespace outrider::engine::cuda::nvidia
