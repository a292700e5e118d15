#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "data/commands/commands.h"
#include "data/commands/unfinished.h"
#include "data/generate/recompute.h"
#include "data/generate/recorded_recipe.h"
#include "data/reader/made_by.h"
#include "data/store/trace_group.h"
#include "data/store/verify_store.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

struct VerifyOptions {
  std::string folder;
  bool quiet = false;
  int recompute = 0;
  bool one_row = false;
  std::string model;
  cli::EngineFlags engine;
};

/// How traces are decoded again, and what is reported of it.
struct Again {
  decltype(&recompute) decode;
  const char* how;
};

/// `count` traces, spread evenly over the store.
std::vector<Trace> chosen_traces(const TraceStore& store, int count) {
  std::int64_t all = 0;
  for (const auto& [number, entry] : store.manifest().shards) all += entry.traces;
  const std::int64_t wanted = std::min<std::int64_t>(count, all);
  std::vector<Trace> chosen;
  std::int64_t first = 0;  // of the shard, in the store
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard, false);
    const std::int64_t end = first + std::ssize(reader.columns().turns);
    for (std::int64_t next = std::ssize(chosen); next < wanted; ++next) {
      const std::int64_t index = next * all / wanted;
      if (index >= end) break;
      chosen.push_back(reader.trace(static_cast<std::size_t>(index - first)));
    }
    first = end;
  }
  return chosen;
}

/// Decodes traces of the store again and compares every bit. Returns the differences, one per line.
/// @throws Interrupted
std::vector<std::string> recompute_findings(const TraceStore& store, const VerifyOptions& options) {
  const Recipe recipe = recorded_recipe(store.identity());
  inference::TargetOptions of_target = recorded_target(store.identity(), options.model);
  of_target.engine.threads = options.engine.threads;
  inference::Target target(std::move(of_target));
  check_made_by(store, target);
  const std::vector<Trace> recorded = chosen_traces(store, options.recompute);
  catch_interrupts();
  const auto [decode, how] =
      options.one_row ? Again{recompute_one_row, " by passes of one row"} : Again{recompute, ""};
  const auto again = decode(target, recipe, recorded, interrupted);
  if (!again) throw Interrupted();
  std::vector<std::string> findings;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const std::string what = first_difference(recorded[i], (*again)[i]);
    if (what.empty()) continue;
    findings.push_back(
        fmt::format("{}: prompt '{}', turn {}, sample {}: {} differs when decoded again",
                    options.folder, recorded[i].id, recorded[i].turn, recorded[i].sample, what));
  }
  if (findings.empty())
    write_output(fmt::format("{}: {} traces decoded again{}, all bits equal\n", options.folder,
                             recorded.size(), how));
  return findings;
}

void print(const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) write_output(finding + "\n");
}

void verify(const VerifyOptions& options) {
  if ((options.recompute > 0) == options.model.empty())
    throw InputError("data verify: --recompute and --model go together");
  const TraceStore store(options.folder);
  cli::Progress progress("shards", std::ssize(store.shards()), options.quiet);
  std::vector<std::string> findings =
      verify_store(store, [&progress](std::int64_t done) { progress.show(done); });
  if (const std::string missing = unfinished_text(store); !missing.empty())
    findings.push_back(missing);
  const std::vector<std::string> of_groups = verify_groups(store);
  findings.insert(findings.end(), of_groups.begin(), of_groups.end());
  print(findings);
  if (options.recompute > 0) {
    const std::vector<std::string> more = recompute_findings(store, options);
    print(more);
    findings.insert(findings.end(), more.begin(), more.end());
  }
  if (!findings.empty()) {
    throw CheckFailed(fmt::format("{}: {} {}", options.folder, findings.size(),
                                  findings.size() == 1 ? "finding" : "findings"));
  }
  write_output(fmt::format("{}: {} shards are sound, content hash {}\n", options.folder,
                           store.shards().size(), content_hash(store.manifest())));
  for (const std::string& name : group_names(store)) {
    const TraceGroup group(store, name);
    write_output(fmt::format("{}: group {}: {} files are sound, content hash {}\n", options.folder,
                             name, group.manifest().shards.size(), content_hash(group.manifest())));
  }
}

}  // namespace

cli::Command add_verify(CLI::App& program) {
  auto options = std::make_shared<VerifyOptions>();
  cli::CommandOptions command(program, "verify",
                              "Check every hash, shape, offset and value of a trace store");
  command.add_option("DIR", options->folder, "A folder of traces").required();
  command
      .add_option("--recompute", options->recompute,
                  "Also decode this many traces again, spread over the store, and compare bits")
      .check(cli::whole_number(0, 1'000'000'000));
  command.add_flag("--one-row", options->one_row,
                   "With --recompute: decode by passes of one row instead of batches; slower");
  command.add_option("-m,--model", options->model, "The target, for --recompute").type_name("FILE");
  declare_device_flag(command, options->engine);
  declare_threads_flag(command, options->engine);
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  command.refuse_unless(
      {"threads", "one-row"}, [options] { return options->recompute > 0; },
      "only with --recompute");
  return {command, [options] { verify(*options); }};
}

}  // namespace outrider::data
