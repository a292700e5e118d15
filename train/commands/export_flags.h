#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/commands/training_flags.h"
#include "train/parallel/parallel_objective.h"

namespace outrider::cli {
class CommandOptions;
}

namespace outrider::train {

/// A drafter in a shape that another program serves.
struct ExportFlags {
  std::string shape;                      // "vllm"; empty: none
  std::vector<std::string> state_layers;  // as written; none: vLLM's
  std::optional<int> mask_token;
  std::string out;  // folder; empty: the checkpoint alone has the drafter
};

/// Adds --export-shape, --state-layers, --mask-token and --out.
void declare_export_flags(cli::CommandOptions& command, ExportFlags& flags);

/// @throws InputError if --out is missing with --finish, or no folder to write to
void check_export(const ExportFlags& flags, const TrainingFlags& run);

/// The shape that is asked for. @throws InputError as check_export_shape
ExportShape export_shape(const ExportFlags& flags, const model::Model& target);

/// Writes the drafter to --out, if that is given, and tells where it is.
/// @throws InputError as write_vllm_folder
void write_export(const ExportFlags& flags, const ParallelObjective& objective,
                  const model::Model& target, bool quiet);

}  // namespace outrider::train
