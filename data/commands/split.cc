#include "data/split.h"

#include <fmt/core.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "data/commands/commands.h"
#include "data/commands/unfinished.h"
#include "data/store/manifest.h"
#include "data/store/trace_store.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

struct SplitCommandOptions {
  std::string folder;
  std::string out;
  SplitOptions split;
  bool quiet = false;
};

struct SubsetPrompts {
  std::set<std::string> ids;
  std::int64_t traces = 0;
  std::int64_t output_tokens = 0;
};

std::array<SubsetPrompts, 3> divide(const TraceStore& store, const SplitCommandOptions& options) {
  std::array<SubsetPrompts, 3> subsets;
  cli::Progress progress("shards", std::ssize(store.shards()), options.quiet);
  std::int64_t done = 0;
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) {
      const auto bytes = reader.columns().ids[i];
      std::string id(bytes.begin(), bytes.end());
      SubsetPrompts& subset = subsets[static_cast<std::size_t>(subset_of(id, options.split))];
      subset.ids.insert(std::move(id));
      ++subset.traces;
      subset.output_tokens += std::ssize(reader.columns().outputs[i]);
    }
    progress.show(++done);
  }
  return subsets;
}

void split(const SplitCommandOptions& options) {
  if (options.split.validation + options.split.test >= 1) {
    throw InputError(fmt::format("--validation and --test: expected a sum below 1, found {}",
                                 options.split.validation + options.split.test));
  }
  const TraceStore store(options.folder);
  OutputFile out("--out", options.out);
  warn_if_unfinished(store);
  const std::array<SubsetPrompts, 3> subsets = divide(store, options);
  nlohmann::ordered_json json = {{"seed", options.split.seed},
                                 {"validation_share", options.split.validation},
                                 {"test_share", options.split.test}};
  std::string counts;
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const char* name = name_of(static_cast<Subset>(i));
    json[name] = subsets[i].ids;
    counts += fmt::format("{:<10} {:>8} prompts {:>8} traces {:>10} output tokens\n", name,
                          subsets[i].ids.size(), subsets[i].traces, subsets[i].output_tokens);
  }
  out.write_all(json_text(json, 1) + "\n");
  if (!out.is_standard_output()) write_output(counts);
}

}  // namespace

cli::Command add_split(CLI::App& program) {
  auto options = std::make_shared<SplitCommandOptions>();
  cli::CommandOptions command(
      program, "split", "Divide the prompts of a trace store into training, validation and test");
  command.add_option("DIR", options->folder, "A folder of traces").required().reads(store_at);
  command.add_option("--validation", options->split.validation, "Share of the prompts")
      .check(cli::real_number(0, 1));
  command
      .add_option("--test", options->split.test, "Share of the prompts; the rest is for training")
      .check(cli::real_number(0, 1));
  command.add_option("--seed", options->split.seed, "Seed of the division")
      .check(cli::whole_number(0, INT64_MAX));
  command
      .add_option("--out", options->out,
                  "Write the prompts' ids as JSON; - is standard output, instead of the counts")
      .type_name("FILE")
      .writes();
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { split(*options); }};
}

}  // namespace outrider::data
