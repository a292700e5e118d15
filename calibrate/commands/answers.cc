#include "calibrate/commands/answers.h"

#include <fmt/core.h>

#include "data/generate/prompt_selection.h"
#include "data/generate/trace_run.h"
#include "data/prompts/prompt_formats.h"
#include "data/store/trace_store.h"
#include "runtime/base/command_line.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/model/identity.h"

namespace outrider::calibrate {
namespace {

Answers read_answers(const DecodeTarget& target, const AnswerOptions& options) {
  const data::TraceStore store(options.data);
  if (store.identity().model_hash != model::model_hash(target.model()))
    throw InputError(fmt::format("{}: its traces are of {}, not of {}", options.data,
                                 store.identity().model_name, options.decode.model));
  Answers answers{{}, data::identity_text(store.identity())};
  for (const int shard : store.shards()) {
    const data::ShardReader reader = store.open(shard);
    for (std::size_t i = 0; i < reader.size(); ++i)
      answers.all.push_back(answer_of(reader.trace(i)));
  }
  return answers;
}

/// Every sample at a temperature of its own, so that no two say the same.
std::vector<double> temperatures(int samples) {
  std::vector<double> all;
  for (int s = 0; s < samples; ++s) all.push_back(samples == 1 ? 0 : s / (samples - 1.0));
  return all;
}

Answers make_answers(DecodeTarget& target, const AnswerOptions& options) {
  data::Recipe recipe;
  recipe.decode = options.decode;
  recipe.decode.samples = options.samples;
  recipe.temperatures = temperatures(options.samples);
  recipe.top = 1;
  const data::PromptSelection selection = data::select_prompts(
      target, recipe, data::read_prompt_files("jsonl", {options.prompts}), true);
  data::ShardPlan plan;
  plan.conversations = static_cast<std::int64_t>(selection.prompts.size()) * options.samples;
  plan.conversations_per_shard = static_cast<int>(plan.conversations);
  Answers answers;
  answers.identity = fmt::format("{} samples of {}", options.samples,
                                 data::prompts_hash(selection.prompts, recipe));
  data::TraceRun run(target, recipe, selection.prompts, plan);
  const std::vector<int> shards = {0};
  std::int64_t done = 0;
  Progress progress("conversations", plan.conversations, options.decode.quiet);
  const bool finished = run.run(
      shards, data::choose_batch(target, recipe, selection.prompts, 0),
      [&](int, std::span<const data::Trace> traces) {
        for (const data::Trace& trace : traces) answers.all.push_back(answer_of(trace));
      },
      [&](const std::vector<data::Trace>&) { progress.show(++done); });
  if (!finished) throw Interrupted();
  return answers;
}

}  // namespace

void declare_answer_flags(CommandOptions& command, AnswerOptions& options) {
  declare_model_flag(command, options.decode.model);
  command
      .add_option("--data", options.data,
                  "Traces of the model; without this flag they are made of --prompts")
      .type_name("FOLDER");
  command.add_option("--prompts", options.prompts, "Prompts to make traces of (JSON lines)")
      .type_name("FILE");
  command
      .add_option("--samples", options.samples,
                  "Answers made to each prompt, at temperatures from 0 to 1")
      .check(whole_number(1, 1000));
  declare_max_new_flag(command, options.decode);
  declare_seed_flag(command, options.decode);
  declare_machine_flags(command, options.decode);
  command.group("Options");
  command.add_flag("--quiet", options.decode.quiet, "Nothing on standard error but mistakes");
}

Answers find_answers(DecodeTarget& target, const AnswerOptions& options) {
  Answers answers =
      options.data.empty() ? make_answers(target, options) : read_answers(target, options);
  if (answers.all.empty()) throw InputError(fmt::format("{}: holds no traces", options.data));
  return answers;
}

void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     const std::function<void(const Answer&)>& visit) {
  Progress progress(what, std::ssize(answers), quiet);
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    if (interrupted()) throw Interrupted();
    visit(answer);
    progress.show(++done);
  }
}

void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     Journal& journal, const std::function<Journal::Entry(const Answer&)>& visit,
                     const std::function<bool(const Answer&, const Journal::Entry&)>& restore) {
  const std::size_t before = std::min(journal.kept().size(), answers.size());
  if (before > 0 && !quiet) fmt::print(stderr, "{}: going on behind {}\n", what, before);
  for (std::size_t i = 0; i < before; ++i)
    if (!restore(answers[i], journal.kept()[i])) journal.refuse();
  for_each_answer(what, answers.subspan(before), quiet,
                  [&](const Answer& answer) { journal.append(visit(answer)); });
}

Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                   const DecodeTarget& target, const std::vector<Answer>& answers,
                   const std::string& settings) {
  Hasher work;
  for (const std::string& text : {part, settings, model::model_hash(target.model()),
                                  std::string(target.engine().numerics_name()),
                                  std::string(OUTRIDER_VERSION)})
    work.add_text(text);
  for (const Answer& answer : answers) {
    work.add_text(answer.id);
    work.add_text(answer.task);
    work.add_number(static_cast<std::uint64_t>(answer.prompt));
    work.add_number(answer.text.size());
    work.add(std::as_bytes(std::span(answer.text)));
    work.add_number(answer.in_loop.size());
    work.add(std::as_bytes(std::span(answer.in_loop)));
  }
  return {fmt::format("{}.{}.part", artifact.string(), part), work.hex()};
}

}  // namespace outrider::calibrate
