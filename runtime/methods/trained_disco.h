#pragma once

#include <string>

#include "runtime/artifacts/disco_group.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {

/// What `train disco` found for a draft model.
/// @param stop       the policy that it is for: draft::kDiscoStop or kClassifierStop
/// @param set        of texts: artifacts::stop_group
/// @param draft      what the draft model was read from
/// @param artifacts  the setting; empty: besides checkpoints/, the draft model's own file
/// @throws InputError where there is none, and for those of another draft model
std::shared_ptr<const artifacts::TrainedDisco> find_trained_disco(
    const MethodTarget& target, const std::string& stop, const std::string& set,
    const std::string& draft, const model::Model& model, const std::string& artifacts);
/// The classifier for all texts; nothing where there is none, or one of another draft model only.
std::shared_ptr<const artifacts::TrainedDisco> find_usual_stop(const MethodTarget& target,
                                                               const std::string& draft,
                                                               const model::Model& model,
                                                               const std::string& artifacts);

}  // namespace outrider::methods
