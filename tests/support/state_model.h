#pragma once

#include <cstdint>

#include "runtime/model/model.h"

namespace outrider::test {

/// A random matrix, its rows about as long as its inputs, which `owner` keeps.
model::Weight random_weight(model::Model& owner, const char* name, model::WeightType type,
                            std::int64_t rows, std::int64_t columns, std::uint64_t seed);

/// A model whose rows are given as states, two of the width at once, and whose head reads the last
/// layer's output without a norm: otherwise `from`.
/// @param type  of the projection
model::Model state_model(const model::Model& from, model::WeightType type, std::uint64_t seed);

}  // namespace outrider::test
