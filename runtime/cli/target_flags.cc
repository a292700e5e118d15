#include "runtime/cli/target_flags.h"

#include <fmt/core.h>

#include <vector>

#include "runtime/base/error.h"
#include "runtime/chat/chat_layout.h"
#include "runtime/cli/command_options.h"

namespace outrider::cli {

void declare_chat_flags(CommandOptions& command, TargetFlags& flags) {
  std::vector<std::string> formats = {"auto"};
  for (const text::ChatLayout& layout : text::chat_layouts()) formats.push_back(layout.name);
  command
      .add_option("--chat", flags.chat,
                  fmt::format("Chat format: auto (the model's own), {}", text::layout_names()))
      .check(one_of(formats));
  command.add_option("--system", flags.system,
                     "System message; '' for none (default: that of the chat format)");
}

inference::TargetOptions target_options(const TargetFlags& flags, bool quiet) {
  if (flags.model.empty()) throw InputError("--model: expected a file, found an empty name");
  return {.model = flags.model,
          .engine = engine_options(flags.engine, quiet),
          .chat = flags.chat,
          .system = flags.system,
          .context = flags.context};
}

}  // namespace outrider::cli
