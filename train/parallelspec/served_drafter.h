#pragma once

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "train/parallelspec/group_drafter.h"

namespace outrider::train {

/// A drafter that the runtime serves.
class ServedDrafter : public GroupDrafter {
 public:
  using GroupDrafter::GroupDrafter;

  /// Takes over the trained weights of a drafter of the same target and shape; the head may have other
  /// tokens, and the feed-forward network fewer units: the others are then the target's (`widened`).
  /// Where one of the two has no masks, those of the other stay as they are.
  /// @throws InputError for one of another shape
  virtual void start_from(const draft::ParallelSpecModel& served) = 0;
  /// The drafter as the runtime takes it, in f32. @param target  the one it was made from
  virtual draft::ParallelSpecModel model(const model::Model& target) const = 0;

 protected:
  /// What `model` gives before any trained weight is added.
  draft::ParallelSpecModel untrained_model(const model::Model& target,
                                           const model::ModelConfig& config) const;
};

}  // namespace outrider::train
