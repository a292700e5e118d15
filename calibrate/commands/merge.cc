#include <fmt/core.h>

#include <map>
#include <memory>

#include "calibrate/commands/commands.h"
#include "data/journal/journal_parts.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/cli/command_line.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kMergeExamples =
    "Each process with --shard writes its part beside the artifact file, such as\n"
    "mine.h5.heads-counted.2-of-3.part. This command joins the parts of every stage\n"
    "whose parts have all finished, and names those that have not; it needs no model.\n"
    "Then run the study again: with --shard if it has another stage to divide,\n"
    "without it to write the result, which is that of one process. Machines without a\n"
    "common file system first copy their files *.part to one folder.\n\n"
    "With --add, what studies tried of methods (/trials) on other texts is added to what\n"
    "they tried on these: the counts of settings that were tried on both with the same\n"
    "drafter, whether it was named (--draft) or is the target's own.\n\n"
    "Examples:\n"
    "  calibrate merge mine.h5\n"
    "  calibrate merge mine.h5 --add yours.h5 theirs.h5\n";

struct MergeOptions {
  std::string artifacts;
  std::vector<std::string> more;  // artifact files whose trials are added
  std::string resolved;           // all options as TOML; set by Command::resolved
};

/// Adds another file's trials of a method and a drafter, whether its calibration was given the drafter's name or found it as
/// the target's own. @return the group that has them; empty: none
std::string add_trials_of(const artifacts::ArtifactFile& other, const std::string& group,
                          const std::string& into, cost::Trials& sum) {
  const std::string method = artifacts::method_of_trials(group);
  const std::string& name = other.reader().name();
  bool is_of_another = false;  // what stands in the group of the same name
  for (const std::string& one :
       {group, artifacts::trials_group(method), artifacts::trials_group(method, sum.drafter)}) {
    if (!other.has(one)) continue;
    const cost::Trials more = artifacts::read_trials(other.reader(), one);
    if (more.drafter != sum.drafter) {
      is_of_another = is_of_another || one == group;
      continue;
    }
    sum = cost::sum_of(sum, more);
    if (sum.by_temperature.empty())
      throw InputError(fmt::format(
          "--add {}: {}: expected a setting at a temperature that was tried for {} too, found none",
          name, one, into));
    return one;
  }
  if (is_of_another)
    throw InputError(
        fmt::format("--add {}: {} is of another drafter than that of {}", name, group, into));
  return "";
}

/// Adds what was tried on the texts of other files.
void add_trials(const MergeOptions& options) {
  const artifacts::ArtifactFile file{std::filesystem::path(options.artifacts)};
  artifacts::checked_file_to_write(options.artifacts, {}, file.target(), artifacts::kTrials);
  std::vector<artifacts::ArtifactFile> others;
  for (const std::string& path : options.more) {
    std::error_code none;
    if (std::filesystem::equivalent(path, options.artifacts, none))
      throw InputError(
          fmt::format("--add {}: expected other files than {}", path, options.artifacts));
    others.emplace_back(std::filesystem::path(path)).check_made_for(file.target());
  }
  std::string text;
  for (const std::string& group : file.groups()) {
    if (!artifacts::is_trials_group(group)) continue;
    cost::Trials sum = artifacts::read_trials(file.reader(), group);
    std::string traces = artifacts::read_provenance(file.reader(), group).traces;
    int added = 0;
    for (const artifacts::ArtifactFile& other : others) {
      const std::string found = add_trials_of(other, group, options.artifacts, sum);
      if (found.empty()) continue;
      traces += "; " + artifacts::read_provenance(other.reader(), found).traces;
      ++added;
    }
    if (added == 0) continue;
    artifacts::replace_group(
        options.artifacts, file.target(), group,
        {"calibrate merge", options.resolved, 0, traces, {}, {}},
        [&](hdf5::Writer& to, const std::string& name) { artifacts::write_trials(sum, to, name); });
    for (const cost::TemperatureTrials& one : sum.by_temperature)
      text += fmt::format("{}: temperature {:g}: {} settings at {} positions\n", group,
                          one.temperature, one.trials.size(), one.positions);
  }
  if (text.empty())
    throw InputError(fmt::format(
        "--add: expected files with trials of methods that {} has trials of, found none",
        options.artifacts));
  write_output(text);
}

void merge(const MergeOptions& options) {
  if (!options.more.empty()) return add_trials(options);
  const std::map<std::filesystem::path, int> journals = data::divided_journals(options.artifacts);
  if (journals.empty())
    throw InputError(
        fmt::format("{}: expected work of processes with --shard beside it, files {}.*-of-N.part, "
                    "found none",
                    options.artifacts, options.artifacts));
  int unfinished = 0;
  for (const auto& [path, parts] : journals) {
    const data::UnfinishedParts found = data::merge_parts(path);
    unfinished += !found.are_whole();
    write_output(fmt::format(
        "{}: {}\n", path.string(),
        found.are_whole() ? fmt::format("all {} parts are finished", parts) : found.text()));
  }
  if (unfinished > 0)
    throw CheckFailed(fmt::format("{}: parts are not finished of {} of {}", options.artifacts,
                                  unfinished, journals.size()));
}

}  // namespace

cli::Command add_merge(CLI::App& program) {
  auto options = std::make_shared<MergeOptions>();
  cli::CommandOptions command(program, "merge", "Join the parts of a study that --shard divided");
  command
      .add_option("FILE", options->artifacts,
                  "The artifact file that the results go to, which need not be there yet")
      .required();
  command
      .add_list("--add", options->more,
                "Artifact files with trials on other texts, which are added to those of the file")
      .type_name("FILE");
  command.footer(kMergeExamples);
  return {command, [options] { merge(*options); },
          [options](const std::string& resolved) { options->resolved = resolved; }};
}

}  // namespace outrider::calibrate
