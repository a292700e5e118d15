#pragma once

#include <optional>
#include <string>

#include "runtime/cli/engine_flags.h"
#include "runtime/inference/target.h"

namespace outrider::cli {

class CommandOptions;

/// The target, as flags give it.
struct TargetFlags {
  std::string model;
  std::string chat = "auto";
  std::optional<std::string> system;  // nothing: the chat format's own; empty: none
  int context = 0;                    // 0: what is needed, at most the model's
  EngineFlags engine;
};

/// --chat, --system
void declare_chat_flags(CommandOptions& command, TargetFlags& flags);

/// @throws InputError for an empty name of a model
inference::TargetOptions target_options(const TargetFlags& flags, bool quiet);

}  // namespace outrider::cli
