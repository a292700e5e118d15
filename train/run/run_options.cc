#include "train/run/run_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "runtime/base/error.h"
#include "runtime/base/output_path.h"

namespace outrider::train {

void check_own_folder(const std::string& flag, const std::string& folder,
                      const RunOptions& options) {
  check_output_folder(flag, folder);
  std::error_code none;
  const auto check = [&](const char* input_flag, const std::string& input) {
    if (std::filesystem::equivalent(folder, input, none))
      throw InputError(fmt::format("{} {}: expected a folder of its own, found that of {}", flag,
                                   folder, input_flag));
  };
  check("--model", options.model);
  for (const std::string& store : options.data) check("--data", store);
}

void resolve_steps(const RunOptions& options, std::int64_t traces, Schedule& schedule) {
  const double step = static_cast<double>(options.training.batch) * options.training.accumulate;
  const double steps = options.steps > 0
                           ? static_cast<double>(options.steps)
                           : std::ceil(options.epochs * static_cast<double>(traces) / step);
  schedule.steps = static_cast<std::int64_t>(std::clamp(steps, 1.0, double(kMostSteps)));
  schedule.warm_up =
      static_cast<std::int64_t>(std::ceil(options.warm_up * static_cast<double>(schedule.steps)));
}

}  // namespace outrider::train
