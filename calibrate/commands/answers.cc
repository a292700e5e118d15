#include "calibrate/commands/answers.h"

#include <algorithm>
#include <sstream>

#include "data/store/context_length.h"
#include "data/store/manifest.h"
#include "data/store/recorded_chat.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::calibrate {
namespace {

// Flags that determine how answers are generated.
const std::vector<std::string> kFlagsOfMaking = {"prompts", "skip-refused", "samples",
                                                 "system",  "max-new",      "seed"};

/// The line of a resolved option that has a value.
bool sets(std::string_view line, const std::string& key) { return line.starts_with(key + " = "); }

}  // namespace

AnswerSource AnswerOptions::source() const {
  return {data,
          {cli::prompt_file(prompts),
           samples,
           generation.sampler,
           generation.max_new,
           generation.prefill_chunk,
           skip_refused,
           {}}};
}

void declare_answer_flags(cli::CommandOptions& command, AnswerOptions& options) {
  declare_model_flags(command, options.target.model, options.target.context);
  command
      .add_option("--data", options.data,
                  "Traces of the model; without this flag they are generated from --prompts")
      .type_name("FOLDER")
      .reads(data::store_at);
  command.add_option("--prompts", options.prompts, "Prompts to generate traces from (JSON lines)")
      .type_name("FILE")
      .reads(cli::prompts_at);
  cli::declare_skip_refused_flag(command, options.skip_refused);
  command
      .add_option(
          "--samples", options.samples,
          options.samples > 0
              ? "Answers generated for each prompt: one at temperature 0, the others at 1"
              : "Answers generated for each prompt: one at temperature 0, the others at 1; 0: as "
                "many as needed")
      .check(cli::whole_number(options.samples > 0 ? 1 : 0, 1000));
  declare_max_new_flag(command, options.generation);
  declare_seed_flag(command, options.generation);
  declare_chat_flags(command, options.target);
  declare_machine_flags(command, options.target.engine, options.generation.prefill_chunk);
  command.refuse_unless(
      kFlagsOfMaking, [&options] { return options.data.empty(); },
      "not with --data, whose answers exist already");
  command.group("Options");
  command.add_flag("--quiet", options.quiet, "Only errors on standard error");
}

inference::TargetOptions target_of_traces(const cli::TargetFlags& flags, const std::string& traces,
                                          bool quiet) {
  inference::TargetOptions target = target_options(flags, quiet);
  const cli::TargetFlags none;
  const bool asked = flags.chat != none.chat || !flags.template_arguments.empty() ||
                     flags.no_thinking || !flags.today.empty();
  if (traces.empty()) return target;
  const data::TraceStore store(traces);
  if (!asked) target.chat = data::recorded_chat(store.identity());
  target.recorded_context = data::context_length(store.identity());
  return target;
}

void check_answer_source(const inference::Target& target, const AnswerOptions& options) {
  if (!options.data.empty()) open_traces(options.data, target);
}

void show_study(const std::string& name, const AnswerOptions& answers, const ResultOptions& result,
                const std::string& group, const std::string& plot, const FindAndShow& find) {
  cli::ShownWatch watch(name, result.limit, answers.quiet);
  inference::Target target(target_of_traces(answers.target, answers.data, answers.quiet));
  watch.listen();
  const StudyFiles files = study_files(result, target.model(), group);
  check_answer_source(target, answers);
  OutputFile picture("--plot", plot);
  const ShownStudy found = find(target, answers.source(), files, watch);
  picture.write_all(found.plot);
  if (!picture.is_standard_output()) write_output(found.text);
  watch.inform("written to " + files.artifact.string());
}

std::string recorded_options(const std::string& resolved, const AnswerOptions& options) {
  if (options.data.empty()) return resolved;
  std::istringstream lines(resolved);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const bool of_making = std::any_of(kFlagsOfMaking.begin(), kFlagsOfMaking.end(),
                                       [&](const std::string& flag) { return sets(line, flag); });
    if (!of_making) kept += line + "\n";
  }
  return kept;
}

}  // namespace outrider::calibrate
