#include "runtime/model/extend_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::model {

void extend_context(int context, Model& model) {
  ModelConfig& config = model.config;
  if (context <= config.context || config.long_rope_divisors.empty()) return;
  model.original_context = config.context;
  config.rope_divisors = std::move(config.long_rope_divisors);
  config.long_rope_divisors.clear();
  config.context = config.long_context;
  config.long_context = 0;
}

int most_context(const Model& model) {
  return std::max(model.config.context, model.config.long_context);
}

Model load_for_context(const std::filesystem::path& path, int asked, int recorded) {
  Model model = load_model(path);
  extend_context(asked > 0 ? asked : recorded, model);
  if (asked > model.config.context)
    throw InputError(fmt::format("--ctx: expected at most {}, the context of {}, found {}",
                                 model.config.context, model.path.string(), asked));
  return model;
}

}  // namespace outrider::model
