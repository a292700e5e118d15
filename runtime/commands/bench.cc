#include <fmt/core.h>

#include <memory>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/commands.h"
#include "runtime/commands/engine_report_text.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/timed_workers.h"
#include "runtime/model/extend_context.h"

namespace outrider {
namespace {

struct BenchOptions {
  std::string model;
  int context = 0;  // 0: the model's
  cli::EngineFlags engine;
  bool of_engine = false;  // nothing else is timed
  cli::PassFlags passes;
  std::optional<int> rounds;
  std::string json;
};

void bench(const BenchOptions& options) {
  cost::EngineReportOptions settings;
  settings.rounds = options.rounds.value_or(settings.rounds);
  const model::Model model = model::load_for_context(options.model, options.context);
  read_pass_flags(options.passes, model.config, settings.threads, settings.rows, settings.contexts);
  std::erase_if(settings.prefill_depths, [&](int depth) {
    return depth > model.config.context - cost::PassTimer::kMostRows;
  });

  const auto engine = cli::make_engine(model, options.engine, options.context);
  cost::time_usual_workers(*engine, settings.threads);
  OutputFile json("--json", options.json);
  catch_interrupts();
  cli::Progress progress("rounds", settings.rounds);
  const cost::EngineReport report = cost::report_engine(*engine, settings, [&](int done, int) {
    progress.show(done);
    return !interrupted();
  });
  const EngineReportHead head{options.model, engine->place(), engine->numerics_name(),
                              engine->weight_bytes(), interrupted()};
  json.write_all(report_json(head, report));
  if (!json.is_standard_output()) write_output(report_text(head, report));
  if (interrupted()) throw Interrupted();
}

}  // namespace

cli::Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  cli::CommandOptions command(program, "bench", "Time passes of a model on this machine");
  command.footer(
      "Examples:\n"
      "  runtime bench --engine -m MODEL.gguf\n"
      "  runtime bench --engine -m MODEL.gguf --threads 2 --rows 1 8 16 --contexts 200 --json "
      "cost.json\n");
  declare_model_flags(command, options->model, options->context);
  command
      .add_flag("--engine", options->of_engine,
                "Time passes by rows, context and threads; nothing else is timed here")
      .rare();
  declare_pass_flags(command, options->passes, "1 2 4 8 16 32 64", "25 200 1000 4000");
  command
      .add_option("--rounds", options->rounds,
                  fmt::format("Each point is timed three times in each round (default {})",
                              cost::EngineReportOptions().rounds))
      .check(cli::whole_number(1, 100000));
  declare_device_flag(command, options->engine);
  declare_numerics_flags(command, options->engine);
  declare_isa_flag(command, options->engine);
  command
      .add_option("--json", options->json,
                  "Also write the figures to this file; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  return {command, [options] { bench(*options); }};
}

}  // namespace outrider
