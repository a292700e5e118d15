#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/checkpoints/checkpoint.h"
#include "train/optimiser/adamw.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// The parameters and moments of an optimiser, copied. @param best  [parameters] or empty
std::vector<SavedParameter> saved_parameters(const AdamW& optimiser,
                                             const std::vector<at::Tensor>& best);

/// The inverse, into the optimiser's tensors. @return best; empty if there is none
/// @throws InputError naming the first parameter of another name or shape
std::vector<at::Tensor> restore_parameters(std::span<const SavedParameter> saved, AdamW& optimiser);

/// Copies of the parameters' values; and back.
std::vector<at::Tensor> copies(const std::vector<Parameter>& parameters);
void copy_into(const std::vector<at::Tensor>& values, const std::vector<Parameter>& parameters);

/// Hash of the values, as of a checkpoint with them.
std::string weights_hash(const std::vector<Parameter>& parameters);

/// Gives all workers the values of worker 0.
void share_weights(Workers& workers, const std::vector<Parameter>& parameters);

/// Copies the best values of a checkpoint into the parameters; those of its last step if it has none.
/// @throws InputError naming the first parameter of another name or shape
void restore_best(std::span<const SavedParameter> saved, const std::vector<Parameter>& parameters);

}  // namespace outrider::train
