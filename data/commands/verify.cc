#include "data/commands/verify.h"

#include <fmt/core.h>

#include <memory>

#include "data/store/verify.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"

namespace outrider::data {
namespace {

struct VerifyOptions {
  std::string folder;
  bool quiet = false;
};

void verify(const VerifyOptions& options) {
  const TraceStore store(options.folder);
  Progress progress("shards", std::ssize(store.shards()), options.quiet);
  std::vector<std::string> findings =
      verify_store(store, [&progress](std::int64_t done) { progress.show(done); });
  const std::vector<int> missing = store.missing();
  if (!missing.empty()) {
    findings.push_back(fmt::format(
        "{}: {} of {} shards are missing, the first is {}; the command that began the store "
        "finishes "
        "it",
        options.folder, missing.size(), store.manifest().plan.shards(), missing.front()));
  }
  for (const std::string& finding : findings) write_output(finding + "\n");
  if (!findings.empty()) {
    throw CheckFailed(fmt::format("{}: {} {}", options.folder, findings.size(),
                                  findings.size() == 1 ? "finding" : "findings"));
  }
  write_output(fmt::format("{}: {} shards are sound, content hash {}\n", options.folder,
                           store.shards().size(), content_hash(store.manifest())));
}

}  // namespace

Command add_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Check every hash, shape, offset and value of a trace store");
  command->add_option("DIR", options->folder, "A folder of traces")->required();
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { verify(*options); }};
}

}  // namespace outrider::data
