#pragma once

#include <optional>
#include <string>

#include "runtime/cost/draft_settings.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What `calibrate draft` found out about a draft model.
struct CalibratedDraft {
  cost::MachineDraftSettings settings;
  bool this_machine = false;  // measured there
  std::string file;           // with the settings
};

/// The settings for a draft model on this machine, else on another. Of several others those with the fewest
/// tokens drafted per round at the target's temperature: drafts that are too short gain less, those that
/// are too long can be slower than plain decoding.
/// @param draft      what the draft model was read from: only an artifact file (*.h5) has settings
/// @param artifacts  the setting; empty: besides checkpoints/, the draft model's own file
/// @return nothing without settings, and where they are of another draft model: one trained before, say
/// @throws InputError for an invalid file
std::optional<CalibratedDraft> find_calibrated_draft(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts);

}  // namespace outrider::methods
