#include <memory>
#include <string>
#include <vector>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/replay_texts.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kReplayExamples =
    "Calibration chooses by replaying answers. This command decodes prompts, replays the answers, "
    "and\n"
    "fails at the first pass that drafted or accepted another number of tokens. With --answers or "
    "--data\n"
    "it only replays texts that were decoded before, with any method: what --method would "
    "have drafted\n"
    "and have accepted.\n\n"
    "Examples:\n"
    "  calibrate replay -m MODEL.gguf --method pld-plus-a --draft-length 70\n"
    "  calibrate replay -m MODEL.gguf --method ngrammys --temperature 1 --prompts PROMPTS.jsonl\n"
    "  calibrate replay -m MODEL.gguf --method tsd --prompts PROMPTS.jsonl --sequences 7\n"
    "  runtime decode -m MODEL.gguf --prompts PROMPTS.jsonl --json texts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method pld-plus-h --json "
    "drafts.jsonl\n"
    "  calibrate replay -m MODEL.gguf --data traces --method pld-plus-h --layer 9\n"
    "  calibrate replay -m MODEL.gguf --answers texts.jsonl --method tsd --sources pld "
    "--acceptance checkpoints/\n";

/// What decoding uses.
void declare_uses(cli::CommandOptions& command, const ReplayOptions& options) {
  const std::vector<std::string> of_decoding = {"prompts",
                                                "limit",
                                                "skip-refused",
                                                "chat",
                                                "system",
                                                "template-arg",
                                                "no-thinking",
                                                "today",
                                                "max-new",
                                                "ctx",
                                                "sequences",
                                                "temperature",
                                                "top-k",
                                                "top-p",
                                                "min-p",
                                                "repetition-penalty",
                                                "presence-penalty",
                                                "frequency-penalty",
                                                "logit-bias",
                                                "seed",
                                                "prefill-chunk"};
  const auto has_no_data = [&options] { return options.data.empty(); };
  command.refuse_unless({"answers"}, has_no_data, "not with --data");
  command.refuse_unless(of_decoding, has_no_data, "not with --data, whose answers exist already");
  command.refuse_unless(
      of_decoding, [&options] { return options.answers.empty(); },
      "not with --answers, whose texts exist already");
}

}  // namespace

cli::Command add_replay(CLI::App& program) {
  auto options = std::make_shared<ReplayOptions>();
  cli::CommandOptions command(
      program, "replay",
      "Decode prompts and check that replays of the answers have the same passes");
  command.footer(kReplayExamples);
  declare_model_flag(command, options->target.model);
  command
      .add_option("--prompts", options->prompts.prompts,
                  "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
  declare_record_flags(command, options->prompts);
  command
      .add_option("--answers", options->answers,
                  "Replay these texts, records of `runtime decode --json`, and decode nothing")
      .type_name("FILE");
  command
      .add_option("--data", options->data,
                  "Replay these traces and decode nothing; where they hold the states that the "
                  "method observes, these are read, rounded to bf16, and not recomputed")
      .type_name("FOLDER");
  command
      .add_option("--sequences", options->sequences,
                  "Texts to decode at a time, in the same passes")
      .check(cli::whole_number(1, 1024));
  declare_chat_flags(command, options->target);
  command.group("Length");
  declare_length_flags(command, options->generation, options->target);
  command.group("Method");
  options->method.declare_method(command);
  options->method.declare_settings(command);
  command.group("Sampling (the text depends on these and the seed only)");
  declare_temperature_flag(command, options->generation);
  declare_sampler_flags(command, options->generation);
  declare_machine_flags(command, options->target.engine, options->generation.prefill_chunk);
  cli::declare_cost_flags(command, options->costs);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Write a record of each replay, replacing the file; - is standard output")
      .type_name("FILE");
  command
      .add_option(
          "--acceptance", options->acceptance,
          "Keep in this artifact file, or in one in this folder, how often the method's "
          "tokens were accepted, by source, rank, depth and the draft's own probability; "
          "decoding with the method knows it from then on (checkpoints/ is the usual folder)")
      .type_name("FILE")
      .rare();
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  declare_uses(command, *options);
  return {command,
          [options, command] {
            options->given = command.given();
            replay_texts(*options);
          },
          [options](const std::string& resolved) { options->resolved = resolved; }};
}

}  // namespace outrider::calibrate
