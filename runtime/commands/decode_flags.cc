#include "runtime/commands/decode_flags.h"

namespace outrider {
namespace {

constexpr int kMostSequences = 1024;

}  // namespace

void declare_flags(cli::CommandOptions& command, DecodeFlags& flags) {
  declare_model_flag(command, flags.target.model);
  command.group("Prompt");
  declare_prompt_flags(command, flags.prompts);
  command
      .add_option("--sequences", flags.sequences,
                  "Texts to decode at a time, in the same passes; each is the one that it is "
                  "alone, and shown when it is complete")
      .check(cli::whole_number(1, kMostSequences));
  declare_chat_flags(command, flags.target);
  command.group("Length");
  declare_length_flags(command, flags.generation, flags.target);
  command
      .add_list("--stop", flags.generation.stops,
                "End the text before any of these; may be repeated")
      .brief("End the text before any of these");
  declare_format_flags(command, flags.generation);
  command.group("Method");
  flags.method.declare_method(command);
  flags.method.declare_settings(command);
  command
      .add_flag("--check", flags.check, "Also decode plainly, untimed, and fail if a token differs")
      .brief("Also decode plainly; fail if a token differs");
  command
      .add_flag("--attribute", flags.attribute,
                "Report where in the prompt the text was copied from: in the records of --json, "
                "and in colours on a terminal")
      .rare();
  command.add_option("--min-span", flags.min_span, "--attribute: shortest copy reported, in tokens")
      .check(cli::whole_number(1, cli::kMostTokens))
      .rare();
  command.refuse_unless(
      {"min-span"}, [&flags] { return flags.attribute; }, "only with --attribute");
  command.group("Sampling (without these as the model's files say)");
  declare_temperature_flag(command, flags.generation);
  declare_sampler_flags(command, flags.generation);
  declare_machine_flags(command, flags.target.engine, flags.generation.prefill_chunk);
  cli::declare_cost_flags(command, flags.costs);
  command.group("Output");
  command
      .add_option("--json", flags.json,
                  "Write one object per text, replacing the file; - is standard output")
      .type_name("FILE")
      .writes()
      .brief("Write one object per text; - is standard output");
  command.add_flag("--quiet", flags.quiet, "No figures and no headings on standard error");
  command.group("Options");
}

}  // namespace outrider
