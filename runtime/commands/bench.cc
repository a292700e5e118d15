#include <fmt/core.h>

#include <memory>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/bench_grid.h"
#include "runtime/commands/bench_stops.h"
#include "runtime/commands/commands.h"
#include "runtime/commands/engine_report_text.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/timed_workers.h"

namespace outrider {
namespace {

constexpr int kStopRounds = 1;  // where --rounds is not given

struct BenchOptions {
  cli::TargetFlags target;
  bool engine = false;
  bool grid = false;
  bool stops = false;
  cli::PassFlags passes;
  std::optional<int> rounds;
  std::string json;
  GridFlags of_grid;
};

/// What decodes prompts.
void bench_prompts(const BenchOptions& options) {
  cli::TargetFlags target = options.target;
  std::vector<int> threads = {0};
  cli::read_whole_numbers("--threads", options.passes.threads, 1, engine::kMostThreads, threads);
  if (threads.size() > 1)
    throw InputError(
        fmt::format("--threads: expected one number with {}", options.grid ? "--grid" : "--stops"));
  target.engine.threads = threads[0];
  if (options.grid)
    bench_grid(target, options.of_grid, options.json);
  else
    bench_stops(target, options.of_grid, options.rounds.value_or(kStopRounds), options.json);
}

void bench_engine(const BenchOptions& options) {
  cost::EngineReportOptions settings;
  settings.rounds = options.rounds.value_or(settings.rounds);
  const model::Model model = model::load_model(options.target.model);
  read_pass_flags(options.passes, model.config, settings.threads, settings.rows, settings.contexts);
  std::erase_if(settings.prefill_depths, [&](int depth) {
    return depth > model.config.context - cost::PassTimer::kMostRows;
  });

  const auto engine = cli::make_engine(model, options.target.engine);
  cost::time_usual_workers(*engine, settings.threads);
  OutputFile json("--json", options.json);
  catch_interrupts();
  cli::Progress progress("rounds", settings.rounds);
  const cost::EngineReport report = cost::report_engine(*engine, settings, [&](int done, int) {
    progress.show(done);
    return !interrupted();
  });
  const EngineReportHead head{options.target.model, engine->place(), engine->numerics_name(),
                              engine->weight_bytes(), interrupted()};
  json.write_all(report_json(head, report));
  if (!json.is_standard_output()) write_output(report_text(head, report));
  if (interrupted()) throw Interrupted();
}

void bench(const BenchOptions& options) {
  if (options.engine + options.grid + options.stops != 1)
    throw InputError(
        "bench: expected --engine, for passes of the target, or --grid, for drafts of "
        "every number and length, or --stops, for rounds of a draft model");
  options.engine ? bench_engine(options) : bench_prompts(options);
}

/// What only one kind of measurement uses.
void declare_uses(cli::CommandOptions& command, const BenchOptions& options) {
  const auto only = [&](const std::vector<std::string>& flags, const bool& kind,
                        const std::string& name) {
    command.refuse_unless(
        flags, [&kind] { return kind; }, "only with " + name);
  };
  only({"rows", "contexts"}, options.engine, "--engine");
  only({"method", "drafts", "draft-length", "query"}, options.grid, "--grid");
  only({"draft", "verify"}, options.stops, "--stops");
  command.refuse_unless(
      {"rounds"}, [&options] { return options.engine || options.stops; },
      "only with --engine and --stops");
  command.refuse_unless(
      {"prompts", "limit", "skip-refused", "max-new", "temperature", "seed", "artifacts", "plot",
       "chat", "system", "template-arg", "no-thinking", "today"},
      [&options] { return options.grid || options.stops; }, "only with --grid and --stops");
}

}  // namespace

cli::Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  cli::CommandOptions command(program, "bench", "Measure what this machine can do");
  command.footer(
      "Examples:\n"
      "  runtime bench --engine -m MODEL.gguf\n"
      "  runtime bench --engine -m MODEL.gguf --threads 2 --rows 1 8 16 --contexts 200 --json "
      "cost.json\n"
      "  runtime bench --grid -m MODEL.gguf --prompts PROMPTS.jsonl --drafts 1 10 25 "
      "--draft-length "
      "2 6 14 --plot grid.svg\n"
      "  runtime bench --stops -m MODEL.gguf --prompts PROMPTS.jsonl --limit 80 --rounds 3 "
      "--plot stops.svg\n");
  declare_model_flag(command, options->target.model);
  command.add_flag("--engine", options->engine,
                   "Time passes of the target by rows, context and threads");
  command.add_flag("--grid", options->grid,
                   "Decode prompts with every number and length of drafts");
  command.add_flag("--stops", options->stops,
                   "Decode prompts with a draft model under every stop policy");
  declare_pass_flags(command, options->passes, "1 2 4 8 16 32 64", "25 200 1000 4000");
  command
      .add_option(
          "--rounds", options->rounds,
          fmt::format("--engine: each point is timed three times in each round (default {}); "
                      "--stops: each text is decoded with every policy in each round, and its "
                      "median time counts (default {})",
                      cost::EngineReportOptions().rounds, kStopRounds))
      .check(cli::whole_number(1, 100000));
  declare_device_flag(command, options->target.engine);
  declare_numerics_flags(command, options->target.engine);
  declare_isa_flag(command, options->target.engine);
  command
      .add_option("--json", options->json,
                  "Also write the figures to this file; - is standard output, instead of the text")
      .type_name("FILE");
  command.group("With --grid and --stops");
  declare_grid_flags(command, options->of_grid);
  declare_chat_flags(command, options->target);
  declare_uses(command, *options);
  return {command, [options, command] {
            options->of_grid.given = command.given();
            bench(*options);
          }};
}

}  // namespace outrider
