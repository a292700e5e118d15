#include <fmt/core.h>

#include <memory>

#include "data/commands/commands.h"
#include "data/commands/store_report.h"
#include "data/store/manifest.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

struct InspectOptions {
  std::string folder;
  std::string json;
  bool quiet = false;
};

void inspect(const InspectOptions& options) {
  const TraceStore store(options.folder);
  OutputFile json("--json", options.json);
  cli::Progress progress("shards", std::ssize(store.shards()), options.quiet);
  const StoreSummary summary =
      summarise(store, [&progress](std::int64_t done) { progress.show(done); });
  json.write_all(json_of(store, summary));
  if (!json.is_standard_output()) write_output(text_of(store, summary));
}

}  // namespace

cli::Command add_inspect(CLI::App& program) {
  auto options = std::make_shared<InspectOptions>();
  cli::CommandOptions command(program, "inspect", "Print a summary of a trace store");
  command.add_option("DIR", options->folder, "A folder of traces").required().reads(store_at);
  command
      .add_option(
          "--json", options->json,
          "Also write everything to this file as JSON; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { inspect(*options); }};
}

}  // namespace outrider::data
