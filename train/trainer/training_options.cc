#include "train/trainer/training_options.h"

#include "train/workers/workers.h"

namespace outrider::train {

nlohmann::json json_of(const TrainingOptions& options) {
  nlohmann::json json = {{"batch", options.batch},
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
  // Before there were trees, gradients were summed one after the other, which gives other bits.
  if (options.accumulate > 1 && is_power_of_two(options.accumulate)) json["sum"] = "tree";
  return json;
}

}  // namespace outrider::train
