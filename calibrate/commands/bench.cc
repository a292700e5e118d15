#include <fmt/core.h>

#include <memory>
#include <optional>

#include "calibrate/commands/bench_grid.h"
#include "calibrate/commands/bench_stops.h"
#include "calibrate/commands/commands.h"
#include "runtime/base/error.h"
#include "runtime/cli/engine_flags.h"

namespace outrider::calibrate {
namespace {

constexpr int kStopRounds = 1;  // where --rounds is not given

struct BenchOptions {
  cli::TargetFlags target;
  bool grid = false;
  bool stops = false;
  std::optional<int> rounds;
  std::string json;
  GridFlags of_grid;
};

void bench(const BenchOptions& options) {
  if (options.grid == options.stops)
    throw InputError(
        "bench: expected --grid, for drafts of every number and length, or --stops, for rounds of "
        "a draft model; passes of the target are timed by `runtime bench --engine`");
  if (options.grid)
    bench_grid(options.target, options.of_grid, options.json);
  else
    bench_stops(options.target, options.of_grid, options.rounds.value_or(kStopRounds),
                options.json);
}

/// What only one kind of measurement uses.
void declare_uses(cli::CommandOptions& command, const BenchOptions& options) {
  const auto only = [&](const std::vector<std::string>& flags, const bool& kind,
                        const std::string& name) {
    command.refuse_unless(
        flags, [&kind] { return kind; }, "only with " + name);
  };
  only({"method", "drafts", "draft-length", "query"}, options.grid, "--grid");
  only({"draft", "verify", "rounds"}, options.stops, "--stops");
}

}  // namespace

cli::Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  cli::CommandOptions command(program, "bench", "Decode prompts with many settings of a drafter");
  command.footer(
      "Examples:\n"
      "  calibrate bench --grid -m MODEL.gguf --prompts PROMPTS.jsonl --drafts 1 10 25 "
      "--draft-length "
      "2 6 14 --plot grid.svg\n"
      "  calibrate bench --stops -m MODEL.gguf --prompts PROMPTS.jsonl --limit 80 --rounds 3 "
      "--plot stops.svg\n");
  declare_model_flags(command, options->target.model, options->target.context);
  command.add_flag("--grid", options->grid,
                   "Decode prompts with every number and length of drafts");
  command.add_flag("--stops", options->stops,
                   "Decode prompts with a draft model under every stop policy");
  declare_threads_flag(command, options->target.engine);
  command
      .add_option(
          "--rounds", options->rounds,
          fmt::format("--stops: each text is decoded with every policy in each round, and its "
                      "median time counts (default {})",
                      kStopRounds))
      .check(cli::whole_number(1, 100000));
  declare_device_flag(command, options->target.engine);
  declare_numerics_flags(command, options->target.engine);
  declare_isa_flag(command, options->target.engine);
  command
      .add_option("--json", options->json,
                  "Also write the figures to this file; - is standard output, instead of the text")
      .type_name("FILE");
  declare_grid_flags(command, options->of_grid);
  declare_chat_flags(command, options->target);
  declare_uses(command, *options);
  return {command, [options, command] {
            options->of_grid.given = command.given();
            bench(*options);
          }};
}

}  // namespace outrider::calibrate
