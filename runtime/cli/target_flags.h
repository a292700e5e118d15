#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/engine_flags.h"
#include "runtime/inference/target.h"

namespace outrider::cli {

class CommandOptions;

/// The target, from flags.
struct TargetFlags {
  std::string model;
  std::optional<std::string> chat;  // nothing: that of traces that are read, else the model's
  std::vector<std::string> template_arguments;  // NAME=VALUE
  bool no_thinking = false;
  std::string today;                  // empty: the clock's
  std::optional<std::string> system;  // nothing: the chat format's default; empty: none
  int context = 0;                    // 0: as much as needed, at most the model's
  EngineFlags engine;
};

/// --chat, --template-arg, --no-thinking, --today
void declare_template_flags(CommandOptions& command, TargetFlags& flags);
/// These and --system
void declare_chat_flags(CommandOptions& command, TargetFlags& flags);
/// Whether a flag of the template has another value than when it is not given.
bool chooses_template(const TargetFlags& flags);
/// @throws InputError for an argument without a value
text::ChatOptions chat_options(const TargetFlags& flags);

/// @throws InputError for an empty model name
inference::TargetOptions target_options(const TargetFlags& flags, bool quiet);

}  // namespace outrider::cli
