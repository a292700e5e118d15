#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/parallelspec/parallelspec_objective.h"
#include "train/run/run_options.h"

namespace outrider::train {

/// A drafter in a shape that another program serves.
struct ExportOptions {
  std::string shape;              // "vllm"; empty: none
  std::vector<int> state_layers;  // none: vLLM's
  std::optional<int> mask_token;
  std::string out;  // folder; empty: the checkpoint alone has the drafter
};

/// @throws InputError if --out is missing with --finish, or no folder to write to
void check_export(const ExportOptions& options, const RunOptions& run);

/// The shape that is asked for. @throws InputError as check_export_shape
ExportShape export_shape(const ExportOptions& options, const model::Model& target);

}  // namespace outrider::train
