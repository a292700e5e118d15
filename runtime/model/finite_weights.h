#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/model/model.h"

namespace outrider::model {

/// A row, as it is stored, that holds an infinite number or none at all (NaN); nothing: all are finite. Of quantised types the factors
/// of the blocks are looked at, since all else in them is whole numbers.
std::optional<std::int64_t> first_row_not_finite(const Weight& weight);

/// Reads all weights once, for whoever is about to compute with them; little of a file stays resident.
/// @param on_read  called with the bytes read, from 0 on, and the total
/// @throws InputError naming the file, the tensor and the row of the first number that is not finite
void check_finite(const Model& model,
                  const std::function<void(std::int64_t, std::int64_t)>& on_read = {});

}  // namespace outrider::model
