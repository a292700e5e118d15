#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/answers/made_answers.h"
#include "data/store/trace_store.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// Which answers a command calibrates with.
struct AnswerOptions {
  cli::TargetFlags target;
  cli::GenerationFlags generation;  // of answers made here
  bool quiet = false;
  std::string data;  // a trace store; empty: they are made here
  std::string prompts = cli::kShippedPrompts;
  /// Of each prompt, the first at temperature 0, the others at 1. A command whose default is 0 takes
  /// that for as many as it needs.
  int samples = 8;
};

/// --model, --data, --prompts, --samples, --max-new, --seed and those of the machine.
void declare_answer_flags(cli::CommandOptions& command, AnswerOptions& options);

/// @throws InputError naming the first of the flags that was given, with the reason
void refuse_flags(const std::set<std::string>& given, const std::vector<std::string>& flags,
                  const std::string& why);

/// A trace store to take answers from.
/// @throws InputError when it is of another model
data::TraceStore open_traces(const std::string& folder, const inference::Target& target);

/// @throws InputError naming a flag that says how to make answers, given beside --data
void check_answer_flags(const cli::CommandOptions& command, const AnswerOptions& options);

/// Resolved options as they are recorded: with --data without those that say how to make answers.
std::string recorded_options(const std::string& resolved, const AnswerOptions& options);

/// A command that calibrates with answers and leaves a result.
/// @param options  with members `answers` and `result`
template <typename Options, typename Run>
cli::Command answer_command(const cli::CommandOptions& command,
                            const std::shared_ptr<Options>& options, Run run) {
  return {command,
          [command, options, run] {
            check_answer_flags(command, options->answers);
            run(*options);
          },
          [options](const std::string& resolved) {
            options->result.resolved = recorded_options(resolved, options->answers);
          }};
}

/// Reads the answers, or makes them.
/// @param artifact, part  where those made here are kept: see `make_answers`
/// @throws InputError for a store of another model; Interrupted
Answers find_answers(
    inference::Target& target, const AnswerOptions& options, const std::filesystem::path& artifact,
    const std::string& part, const Enough& enough = [](const auto&) { return true; });

/// Visits the answers one by one and shows how far it is. @param what  "answers counted"
/// @throws Interrupted
void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     const std::function<void(const Answer&)>& visit);

/// The same, but going on after those that the journal kept.
/// @param visit    returns what it found out, which is kept
/// @param restore  is told what an earlier run found out; false: that cannot be
void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     Journal& journal, const std::function<Journal::Entry(const Answer&)>& visit,
                     const std::function<bool(const Answer&, const Journal::Entry&)>& restore);

}  // namespace outrider::calibrate
