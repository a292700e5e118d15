#pragma once

#include <memory>

#include "runtime/engine/engine.h"

namespace outrider::engine::cuda {

/// The engine of a GPU on its emulation: the same kernels, compiled by the C++ compiler. Slow, and for tests.
/// @throws InputError as make_cuda_engine
std::unique_ptr<Engine> make_emulated_engine(const model::Model& model,
                                             const EngineOptions& options);

}  // namespace outrider::engine::cuda
