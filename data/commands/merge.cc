#include "data/store/merge.h"

#include <fmt/core.h>

#include <memory>

#include "data/commands/commands.h"
#include "data/store/manifest.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_path.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

constexpr const char* kMergeExamples =
    "What it makes is what one process would have made, whatever the number of parts: the same "
    "files, and\n"
    "a manifest that differs in its times only. Where shards are missing it says of which parts, "
    "and changes\n"
    "nothing.\n\n"
    "Examples:\n"
    "  data merge traces --check\n"
    "  data merge from-host1 from-host2 from-host3 -o traces\n";

struct MergeOptions {
  std::vector<std::string> folders;
  std::string out;
  bool check = false;
  bool unfinished = false;
  bool quiet = false;
};

void check_folders(const MergeOptions& options) {
  if (options.out.empty() && options.folders.size() > 1)
    throw InputError(fmt::format(
        "--out: expected a folder for what {} folders are to be put together in, found none",
        options.folders.size()));
  if (!options.out.empty()) check_output_folder("--out", options.out);
}

/// @throws CheckFailed after printing them, if there are any
void refuse_findings(const MergeOptions& options, const std::vector<std::string>& findings) {
  if (findings.empty()) return;
  for (const std::string& finding : findings) write_output(finding + "\n");
  throw CheckFailed(fmt::format("{}: {} {}, nothing was changed", options.folders.front(),
                                findings.size(), findings.size() == 1 ? "finding" : "findings"));
}

void merge(const MergeOptions& options) {
  check_folders(options);
  const StoreMerge merge({options.folders.begin(), options.folders.end()});
  catch_interrupts();
  const auto show = [](cli::Progress& progress, std::int64_t done) {
    progress.show(done);
    if (interrupted()) throw Interrupted();
  };
  std::vector<std::string> findings;
  if (options.check) {
    cli::Progress progress("files checked", merge.files(), options.quiet);
    findings = merge.damaged([&](std::int64_t done) { show(progress, done); });
  }
  const std::vector<std::string> missing = merge.missing();
  if (!options.unfinished) findings.insert(findings.end(), missing.begin(), missing.end());
  refuse_findings(options, findings);
  if (options.out.empty()) {
    merge.in_place();
  } else {
    cli::Progress progress("files copied", merge.files(), options.quiet);
    merge.copy_to(options.out, [&](std::int64_t done) { show(progress, done); });
  }
  for (const std::string& sentence : missing) print_log("warning: {}\n", sentence);
  write_output(fmt::format("{}: {} shards, content hash {}\n",
                           options.out.empty() ? options.folders.front() : options.out,
                           merge.manifest().shards.size(), content_hash(merge.manifest())));
}

}  // namespace

cli::Command add_merge(CLI::App& program) {
  auto options = std::make_shared<MergeOptions>();
  cli::CommandOptions command(program, "merge",
                              "Make one store of what several processes made by --shard");
  command
      .add_list("DIR", options->folders,
                "The store's folder; or folders of several machines, each with its parts")
      .required()
      .reads(store_at);
  command
      .add_option("-o,--out", options->out,
                  "A new folder to copy everything to (default: DIR itself, if there is one)")
      .type_name("DIR")
      .writes();
  command.add_flag("--check", options->check, "First read every file and compare it with its hash");
  command.add_flag("--unfinished", options->unfinished,
                   "Also where shards are missing: the store is then finished without --shard, or "
                   "with another number of parts");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  command.footer(kMergeExamples);
  return {command, [options] { merge(*options); }};
}

}  // namespace outrider::data
