#include "runtime/base/launched_process.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider {
namespace {

struct LauncherVariables {
  const char* index;
  const char* count;
  const char* place;  // on its host
};

constexpr std::array kLaunchers = {
    LauncherVariables{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    LauncherVariables{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    LauncherVariables{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
};

/// What one launcher's variables say. @throws InputError for an index that is not below the count
LaunchedProcess process_of(const LauncherVariables& names, int index, int count, int place) {
  if (count < 1)
    throw InputError(fmt::format("{}: expected a number from 1, found {}", names.count, count));
  if (index >= count)
    throw InputError(fmt::format("{}: expected a number from 0 to {}, as {} is {}, found {}",
                                 names.index, count - 1, names.count, count, index));
  return {index, count, fmt::format("{}={} and {}={}", names.index, index, names.count, count),
          place};
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<int> number_in(const Environment& environment, const char* name) {
  const std::optional<std::string> text = environment(name);
  if (!text || text->empty()) return {};
  const auto number = parse_integer(*text);
  if (!number || *number < 0 || *number > INT_MAX)
    throw InputError(fmt::format(
        "{}: expected a whole number from 0, found '{}' in the environment", name, *text));
  return static_cast<int>(*number);
}

std::optional<LaunchedProcess> launched_process(const Environment& environment) {
  std::vector<LaunchedProcess> found;
  const LauncherVariables* alone = nullptr;  // an index without a count
  for (const LauncherVariables& names : kLaunchers) {
    const std::optional<int> index = number_in(environment, names.index);
    const std::optional<int> count = number_in(environment, names.count);
    if (index && count)
      found.push_back(
          process_of(names, *index, *count, number_in(environment, names.place).value_or(0)));
    if (index && !count && alone == nullptr) alone = &names;
  }
  if (found.empty() && alone != nullptr)
    throw InputError(fmt::format("{} is set and {} is not: expected both, or neither", alone->index,
                                 alone->count));
  if (found.empty()) return {};
  const auto several = [](const LaunchedProcess& one) { return one.count > 1; };
  const auto first = std::find_if(found.begin(), found.end(), several);
  if (first == found.end()) return found.front();
  for (const LaunchedProcess& other : found) {
    if (other.count == 1 || (other.index == first->index && other.count == first->count)) continue;
    throw InputError(
        fmt::format("{} contradict {}: expected the variables of one launcher, or equal ones; "
                    "unset those of the other, as by env -u",
                    other.variables, first->variables));
  }
  return *first;
}

std::string launcher_variables() {
  std::string names;
  for (const LauncherVariables& launcher : kLaunchers)
    names += fmt::format("{}{} with {}", names.empty() ? "" : ", ", launcher.index, launcher.count);
  return names;
}

}  // namespace outrider
