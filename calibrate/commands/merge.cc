#include <fmt/core.h>

#include <map>
#include <memory>

#include "calibrate/commands/commands.h"
#include "calibrate/studies/add_trials.h"
#include "data/journal/journal_parts.h"
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
    "they tried on these: the counts of settings that were tried on both.\n\n"
    "Examples:\n"
    "  calibrate merge mine.h5\n"
    "  calibrate merge mine.h5 --add yours.h5 theirs.h5\n";

struct MergeOptions {
  std::string artifacts;
  std::vector<std::string> more;  // artifact files whose trials are added
  std::string resolved;           // all options as TOML; set by Command::resolved
};

void add(const MergeOptions& options) {
  for (const AddedTrials& one : add_trials(options.artifacts, options.more, options.resolved))
    write_output(fmt::format("{}: temperature {:g}: {} settings at {} positions\n", one.group,
                             one.temperature, one.settings, one.positions));
}

void merge(const MergeOptions& options) {
  if (!options.more.empty()) return add(options);
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
