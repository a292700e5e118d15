#include "runtime/cost/weights_of_row.h"

namespace outrider::cost {

std::int64_t weights_of_row(const model::ModelConfig& config) {
  const std::int64_t width = config.width;
  const std::int64_t attention =
      width * config.head_width * (2 * config.heads + 2 * config.kv_heads);
  const std::int64_t matrices = is_gated(config.activation) ? 3 : 2;
  const std::int64_t networks = config.experts == 0 ? 1 : config.used_experts;
  const std::int64_t feed_forward =
      networks * matrices * width * config.ffn_width + width * config.experts;
  return config.layers * (attention + feed_forward) + width * config.state_inputs;
}

}  // namespace outrider::cost
