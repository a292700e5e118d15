#include "runtime/cli/target_flags.h"

#include <fmt/core.h>

#include <vector>

#include "runtime/base/error.h"
#include "runtime/chat/named_formats.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/shown_notices.h"

namespace outrider::cli {

void declare_chat_flags(CommandOptions& command, TargetFlags& flags) {
  declare_template_flags(command, flags);
  command
      .add_option("--system", flags.system,
                  "System message; '' for none (default: that of the chat format)")
      .brief("System message; '' for none");
}

void declare_template_flags(CommandOptions& command, TargetFlags& flags) {
  std::vector<std::string> formats = {"auto"};
  for (const text::NamedFormat& format : text::named_formats()) formats.push_back(format.name);
  command
      .add_option(
          "--chat", flags.chat,
          fmt::format("Chat format: auto (the model's own template), {}", text::format_names()))
      .check(one_of(formats))
      .brief("Chat format (default: the model's own template)");
  command
      .add_list("--template-arg", flags.template_arguments,
                "Give the chat template a variable: NAME=VALUE, the value in JSON or as text")
      .rare();
  command
      .add_option("--today", flags.today,
                  "The date that the chat template can write (default: the clock's)")
      .type_name("YYYY-MM-DD")
      .rare();
  command
      .add_flag("--no-thinking", flags.no_thinking,
                "Tell the chat template that answers begin without thinking")
      .rare();
}

bool chooses_template(const TargetFlags& flags) {
  return flags.chat || !flags.template_arguments.empty() || flags.no_thinking ||
         !flags.today.empty();
}

text::ChatOptions chat_options(const TargetFlags& flags) {
  text::ChatOptions options{
      .format = flags.chat.value_or("auto"), .thinking = !flags.no_thinking, .today = flags.today};
  for (const std::string& one : flags.template_arguments) {
    const std::size_t sign = one.find('=');
    if (sign == std::string::npos || sign == 0)
      throw InputError(fmt::format("--template-arg: found '{}', expected NAME=VALUE", one));
    options.arguments.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  return options;
}

inference::TargetOptions target_options(const TargetFlags& flags, bool quiet) {
  if (flags.model.empty()) throw InputError("--model: expected a file, found an empty name");
  return {.model = flags.model,
          .engine = engine_options(flags.engine, quiet),
          .chat = chat_options(flags),
          .system = flags.system,
          .context = flags.context,
          .notices = notices(quiet)};
}

}  // namespace outrider::cli
