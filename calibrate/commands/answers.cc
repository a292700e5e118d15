#include "calibrate/commands/answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "calibrate/answers/stored_answers.h"
#include "data/reader/made_by.h"
#include "data/store/context_length.h"
#include "data/store/recorded_chat.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/opened_files.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/model/identity.h"

namespace outrider::calibrate {
namespace {

// Flags that determine how answers are generated.
const std::vector<std::string> kFlagsOfMaking = {"prompts", "skip-refused", "samples",
                                                 "system",  "max-new",      "seed"};

Answers read_answers(const inference::Target& target, const AnswerOptions& options) {
  const data::TraceStore store = open_traces(options.data, target);
  return {read_stored_answers(store),
          data::identity_text(store.identity()),
          data::seed_of(store.identity()).value_or(0),
          {}};
}

MakingOptions making_options(const AnswerOptions& options) {
  return {cli::prompt_file(options.prompts),
          options.samples,
          options.generation.sampler,
          options.generation.max_new,
          options.generation.prefill_chunk,
          options.skip_refused,
          interrupted};
}

/// The line of a resolved option that has a value.
bool sets(std::string_view line, const std::string& key) { return line.starts_with(key + " = "); }

}  // namespace

void declare_answer_flags(cli::CommandOptions& command, AnswerOptions& options) {
  declare_model_flags(command, options.target.model, options.target.context);
  command
      .add_option("--data", options.data,
                  "Traces of the model; without this flag they are generated from --prompts")
      .type_name("FOLDER");
  command.add_option("--prompts", options.prompts, "Prompts to generate traces from (JSON lines)")
      .type_name("FILE");
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

data::TraceStore open_traces(const std::string& folder, const inference::Target& target) {
  data::TraceStore store(folder);
  data::check_same_rotation(store, target.model());
  if (store.identity().model_hash != model::model_hash(target.model()))
    throw InputError(fmt::format("{}: its traces are of {}, not of {}", folder,
                                 store.identity().model_name, target.options().model));
  return store;
}

void check_answer_source(const inference::Target& target, const AnswerOptions& options) {
  if (options.data.empty())
    note_input(cli::prompt_file(options.prompts));
  else
    open_traces(options.data, target);
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

Answers find_answers(inference::Target& target, const AnswerOptions& options,
                     const std::filesystem::path& artifact, const std::string& part,
                     const OnAhead& on_ahead, const Enough& enough) {
  if (!options.data.empty()) {
    Answers answers = read_answers(target, options);
    if (!options.quiet && on_ahead) on_ahead(work_on(answers.all));
    return answers;
  }
  std::optional<cli::Progress> progress;
  return make_answers(target, making_options(options), artifact, part, enough,
                      options.quiet ? OnAhead() : on_ahead,
                      [&](std::int64_t done, std::int64_t total) {
                        if (done == 0)
                          progress.emplace("conversations", total, options.quiet);
                        else
                          progress->show(done);
                      });
}

std::vector<PlannedPart> making_part(const WorkAhead& ahead) {
  if (ahead.to_make == 0) return {};
  return {{fmt::format("{} prompts answered", ahead.to_make), ahead.making_seconds}};
}

void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     const std::function<void(const Answer&)>& visit) {
  cli::Progress progress(what, std::ssize(answers), quiet);
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    if (interrupted()) throw Interrupted();
    visit(answer);
    progress.show(++done);
  }
}

void for_each_answer(
    const std::string& what, std::span<const Answer> answers, bool quiet, data::Journal& journal,
    const std::function<data::Journal::Entry(const Answer&)>& visit,
    const std::function<bool(const Answer&, const data::Journal::Entry&)>& restore) {
  const std::size_t kept = journal.kept().size();
  if (kept > 0 && !quiet) print_log("{}: resuming after {}\n", what, kept);
  const auto add = [&](const Answer& answer) { journal.append(visit(answer)); };
  if (journal.is_part()) {
    for_each_answer(what, journal.left_of(answers), quiet, add);
    journal.end_part();
  }
  const std::size_t before = std::min(kept, answers.size());
  for (std::size_t i = 0; i < before; ++i)
    if (!restore(answers[i], journal.kept()[i])) journal.refuse();
  for_each_answer(what, answers.subspan(before), quiet, add);
}

}  // namespace outrider::calibrate
