#include "train/trainer/training_options.h"

namespace outrider::train {

nlohmann::json json_of(const TrainingOptions& options) {
  return {{"batch", options.batch},
          {"accumulate", options.accumulate},
          {"learning-rate", options.schedule.peak},
          {"learning-rate-floor", options.schedule.floor},
          {"warm-up", options.schedule.warm_up},
          {"steps", options.schedule.steps},
          {"beta1", options.adamw.beta1},
          {"beta2", options.adamw.beta2},
          {"epsilon", options.adamw.epsilon},
          {"weight-decay", options.adamw.decay},
          {"clip", options.clip},
          {"validate-every", options.validate_every},
          {"seed", options.seed}};
}

}  // namespace outrider::train
