#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/model/model.h"
#include "runtime/model/tensor_names.h"

namespace outrider::model {

/// A file's tensors by name, as matrices [rows, columns].
using NamedWeights = std::map<std::string, Weight, std::less<>>;

/// [r] the stored row of row r, if the rows of each head are stored as neighbouring pairs.
std::vector<std::int32_t> halves_from_neighbours(std::int64_t rows, int head_width);

/// Assigns the weights to the members of `model`, whose `config` is set already, and checks that each
/// is present with the right shape and that none is left over.
/// @param file  for messages
/// @throws InputError naming the tensor
void assemble_weights(NamedWeights weights, const TensorNames& names, const std::string& file,
                      Model& model);

}  // namespace outrider::model
