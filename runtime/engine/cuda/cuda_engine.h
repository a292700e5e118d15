#pragma once

#include <memory>
#include <string>

#include "runtime/engine/engine.h"

/// Passes on CUDA cards. A build has them, or says why not: no_cuda/ defines the same functions and refuses.
namespace outrider::engine::cuda {

/// Cards that this process can use; 0 in a build without CUDA, or without a driver.
int device_count();
/// Why there is no card to use, and the cure, as half a sentence; empty where there is one.
std::string why_not();

/// What a model computes that the kernels do not have, for messages: "a soft bound of logits"; empty: nothing.
std::string lacking_on_gpu(const model::Model& model);

/// @param device  the card's number, less than device_count
/// @throws InputError where there is no card, for a model that the kernels do not take; ModelTooLarge
std::unique_ptr<Engine> make_cuda_engine(const model::Model& model, const EngineOptions& options,
                                         int device);

}  // namespace outrider::engine::cuda
