#include "calibrate/cli/answer_command.h"

#include "data/store/context_length.h"
#include "data/store/manifest.h"
#include "data/store/recorded_chat.h"
#include "runtime/cli/config_file.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/result_flags.h"

namespace outrider::calibrate {
namespace {

// Flags that determine how answers are generated.
const std::vector<std::string> kFlagsOfMaking = {"prompts", "skip-refused", "samples",
                                                 "system",  "max-new",      "seed"};

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

void AnswerOptions::check_data(const inference::Target& of) const {
  if (!data.empty()) open_traces(data, of);
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
  const bool is_fixed = options.samples > 0;
  command
      .add_option(
          "--samples", options.samples,
          std::string("Answers generated for each prompt: one at temperature 0, the others at 1") +
              (is_fixed ? "" : "; 0: as many as needed"))
      .check(cli::whole_number(is_fixed ? 1 : 0, 1000));
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

void declare_result_flags(cli::CommandOptions& command, AnswerOptions& options) {
  cli::declare_results_flag(command, options.files.artifacts);
  declare_shard_flag(command, options, [&options] { return !options.data.empty(); });
  cli::declare_minutes_flag(command, options.minutes);
}

inference::TargetOptions target_of_traces(const cli::TargetFlags& flags, const std::string& traces,
                                          bool quiet) {
  inference::TargetOptions target = target_options(flags, quiet);
  if (traces.empty()) return target;
  const data::TraceStore store(traces);
  if (!chooses_template(flags)) target.chat = data::recorded_chat(store.identity());
  target.recorded_context = data::context_length(store.identity());
  return target;
}

void run_answer_study(const AnswerOptions& options, const std::string& group, Watch& watch,
                      const FindInAnswers& find) {
  inference::Target target(target_of_traces(options.target, options.data, options.quiet));
  watch.listen();
  StudyFiles files = options.files.of_group(artifacts::identity_of(target.model()), group);
  if (!options.data.empty()) files.resolved = cli::without(files.resolved, kFlagsOfMaking);
  options.check_data(target);
  ShownFiles shown(options);
  shown.show(find(target, options.source(), files));
  watch.inform("written to " + files.artifact.string());
}

}  // namespace outrider::calibrate
