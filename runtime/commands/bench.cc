#include "runtime/commands/bench.h"

#include <fmt/core.h>

#include <memory>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"
#include "runtime/commands/engine_flags.h"
#include "runtime/commands/engine_report_text.h"
#include "runtime/engine/machine.h"
#include "runtime/measure/pass_timer.h"

namespace outrider {
namespace {

constexpr int kMostRows = measure::PassTimer::kMostRows;
constexpr int kMostThreads = 256;

struct BenchOptions {
  std::string model;
  bool engine = false;
  std::vector<std::string> threads;
  std::vector<std::string> rows;
  std::vector<std::string> contexts;
  int rounds = 9;
  EngineFlags flags;
  std::string json;
};

void bench(const BenchOptions& options) {
  if (!options.engine)
    throw InputError("bench: nothing to measure; say --engine to time passes of the target");
  measure::EngineReportOptions settings;
  settings.threads = {engine::physical_cores()};
  if (settings.threads[0] > 1) settings.threads.insert(settings.threads.begin(), 1);
  read_whole_numbers("--threads", options.threads, 1, kMostThreads, settings.threads);
  read_whole_numbers("--rows", options.rows, 1, kMostRows, settings.rows);
  settings.rounds = options.rounds;

  const model::Model model = model::load_model(options.model);
  const int longest = model.config.context - kMostRows;
  std::erase_if(settings.contexts, [&](int context) { return context > longest; });
  std::erase_if(settings.prefill_depths, [&](int depth) { return depth > longest; });
  read_whole_numbers("--contexts", options.contexts, 1, longest, settings.contexts);

  const auto engine = make_engine(model, options.flags);
  Progress progress("rounds", options.rounds);
  const measure::EngineReport report =
      measure::report_engine(*engine, settings, [&](int done, int) {
        progress.show(done);
        return !interrupted();
      });
  const EngineReportHead head{options.model, engine::machine_name(), engine->numerics_name(),
                              engine->isa_name(), engine->weight_bytes()};
  if (!options.json.empty()) write_file_atomically(options.json, report_json(head, report));
  write_output(report_text(head, report));
}

}  // namespace

Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  CommandOptions command(program, "bench", "Measure what this machine can do");
  command.footer(
      "Examples:\n"
      "  runtime bench --engine -m MODEL.gguf\n"
      "  runtime bench --engine -m MODEL.gguf --threads 2 --rows 1 8 16 --contexts 200 --json "
      "cost.json");
  declare_model_flag(command, options->model);
  command.add_flag("--engine", options->engine,
                   "Time passes of the target by rows, context and threads");
  command.add_list("-t,--threads", options->threads,
                   "Numbers of threads (default: 1 and the physical cores)");
  command.add_list("--rows", options->rows, "New rows of a pass (default: 1 2 4 8 16 32 64)");
  command.add_list("--contexts", options->contexts,
                   "Tokens before them (default: 25 200 1000 4000)");
  command.add_option("--rounds", options->rounds, "Each point is timed three times in each round")
      .check(whole_number(1, 100000));
  declare_numerics_flags(command, options->flags);
  declare_isa_flag(command, options->flags);
  command.add_option("--json", options->json, "Also write the figures to this file");
  return {command, [options] { bench(*options); }};
}

}  // namespace outrider
