#include "runtime/base/work_share.h"

#include <fmt/core.h>

#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider {
namespace {

constexpr int kMostParts = 1'000'000;
constexpr const char* kTask = "SLURM_ARRAY_TASK_ID";
constexpr const char* kTasks = "SLURM_ARRAY_TASK_COUNT";
constexpr const char* kFirstTask = "SLURM_ARRAY_TASK_MIN";
constexpr const char* kLastTask = "SLURM_ARRAY_TASK_MAX";
constexpr const char* kCompletion = "JOB_COMPLETION_INDEX";

[[noreturn]] void refuse(const std::string& text) {
  throw InputError(fmt::format(
      "--shard: expected I/N with I from 1 to N, such as 1/3, auto, or auto/N, found '{}'", text));
}

/// A number of parts. @param all  what was given, for the message
int parts_of(const std::string& text, const std::string& all) {
  const auto parts = parse_integer(text);
  if (!parts || *parts < 1 || *parts > kMostParts) refuse(all);
  return static_cast<int>(*parts);
}

void check_index(const char* name, int index, int parts) {
  if (index < parts) return;
  throw InputError(
      fmt::format("{}: expected a number from 0 to {}, as there are {} parts, found {}; number the "
                  "tasks from 0",
                  name, parts - 1, parts, index));
}

/// A task of a Slurm array. @param known  how many parts there are, where something other than the array says so
WorkShare array_share(int task, std::optional<int> known, const Environment& environment) {
  const std::optional<int> tasks = number_in(environment, kTasks);
  if (!known && !tasks)
    throw InputError(fmt::format(
        "{} is set and {} is not: expected both, or --shard auto/N with the number of parts", kTask,
        kTasks));
  const int first = number_in(environment, kFirstTask).value_or(0);
  const int last = number_in(environment, kLastTask).value_or(0);
  // Of an array that is not 0 to N - 1 it cannot be told what a part of it, submitted again, would mean.
  if (!known && (first != 0 || last >= *tasks))
    throw InputError(
        fmt::format("{}: expected an array that begins at 0 and leaves no number out, such as "
                    "--array=0-{}, found {} tasks from {} to {}; where it is a part of one that "
                    "was submitted before, give --shard auto/N with the number of parts",
                    kTask, *tasks - 1, *tasks, first, last));
  const int parts = known.value_or(tasks.value_or(0));
  if (tasks && *tasks > parts)
    throw InputError(
        fmt::format("{}: the array has {} tasks, but the work was divided into {} parts: submit "
                    "--array=0-{}, or those that are missing",
                    kTasks, *tasks, parts, parts - 1));
  check_index(kTask, task, parts);
  std::string variables = fmt::format("{}={}", kTask, task);
  if (tasks) variables += fmt::format(" and {}={}", kTasks, *tasks);
  return {task + 1, parts, variables};
}

WorkShare completion_share(int index, std::optional<int> known) {
  if (!known)
    throw InputError(
        fmt::format("--shard auto: {}={} has no total; expected --shard auto/N, N being the "
                    "completions of the job",
                    kCompletion, index));
  check_index(kCompletion, index, *known);
  return {index + 1, *known, fmt::format("{}={}", kCompletion, index)};
}

WorkShare rank_share(const std::string& text, std::optional<int> given,
                     const Environment& environment) {
  const std::optional<LaunchedProcess> process = launched_process(environment);
  if (!process)
    throw InputError(
        fmt::format("--shard {}: expected variables of a launcher, found none of {} with {}, {}, "
                    "{}; give --shard I/N",
                    text, kTask, kTasks, kCompletion, launcher_variables()));
  if (given && *given != process->count)
    throw InputError(fmt::format("--shard {}: expected {} parts, as of {}", text, process->count,
                                 process->variables));
  return {process->index + 1, process->count, process->variables};
}

WorkShare automatic_share(const std::string& text, int parts_there,
                          const Environment& environment) {
  std::optional<int> given;
  if (text != "auto") given = parts_of(text.substr(text.find('/') + 1), text);
  std::optional<int> known = given;
  if (!known && parts_there > 0) known = parts_there;
  if (const auto task = number_in(environment, kTask))
    return array_share(*task, known, environment);
  if (const auto index = number_in(environment, kCompletion))
    return completion_share(*index, known);
  return rank_share(text, given, environment);
}

}  // namespace

WorkShare read_share(const std::string& text, int parts_there, const Environment& environment) {
  if (text == "auto" || text.starts_with("auto/"))
    return automatic_share(text, parts_there, environment);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) refuse(text);
  const int parts = parts_of(text.substr(slash + 1), text);
  const auto part = parse_integer(text.substr(0, slash));
  if (!part || *part < 1 || *part > parts) refuse(text);
  return {static_cast<int>(*part), parts, {}};
}

std::string share_text(const std::string& text, const WorkShare& share) {
  if (share.variables.empty()) return {};
  return fmt::format("--shard {}: part {} of {}, by {}", text, share.part, share.parts,
                     share.variables);
}

}  // namespace outrider
