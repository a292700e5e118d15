#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method_target.h"
#include "runtime/model/model.h"

namespace outrider::methods {

/// Leaves the head of a draft model from a file the tokens that the target uses, by the counts of `calibrate pair-counts`:
/// the head is a large part of a small model's pass. A token without a row ends a draft. Texts are
/// equal, since the target decides.
/// @param artifacts  the setting; empty: those in checkpoints/
/// @param vocab      the setting --draft-vocab: the most frequent so many, with the end tokens; 0: all; nothing: all that
///                   occurred, where a pass gets cheaper by at least four times the share of a further answer's tokens that
///                   would be new
/// @param model      whose head is whole, with the target's tokens
/// @throws InputError for a number where nothing was counted
void trim_to_drafts(const MethodTarget& target, const std::string& artifacts,
                    std::optional<int> vocab, model::Model& model);

}  // namespace outrider::methods
