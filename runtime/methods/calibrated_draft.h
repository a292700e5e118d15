#pragma once

#include <optional>
#include <string>

#include "runtime/cost/draft_settings.h"
#include "runtime/cost/priced.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What `calibrate draft` found out about a draft model.
struct CalibratedDraft {
  cost::MachineDraftSettings settings;
  bool this_machine = false;                // the times and speeds are this machine's
  std::string file;                         // with the settings
  std::optional<cost::RoundPrices> prices;  // those that the speeds are of; nothing: as stored
};

/// The settings for a draft model: acceptance as found on this machine, else on another, with the speeds that
/// this machine's costs give. The costs of passes are those of machine_costs, of steps those that `calibrate
/// draft` stored for this machine and the engine's threads and numerics, else what
/// MethodTarget::quick_costs has. Where these costs are not known, speeds are as stored; then of several
/// other machines' the settings with the fewest tokens drafted per round at the target's temperature: drafts
/// that are too short gain less, those that are too long can be slower than plain decoding.
/// @param draft      what the draft model was read from: only an artifact file (*.h5) has settings
/// @param artifacts  the setting; empty: besides checkpoints/, the draft model's own file
/// @return nothing without settings, and where they are of another draft model: one trained before, say
/// @throws InputError for an invalid file
std::optional<CalibratedDraft> find_calibrated_draft(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts);

}  // namespace outrider::methods
