#include <fmt/core.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/work_ahead.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/report/grid_report.h"
#include "calibrate/report/stop_report.h"
#include "calibrate/studies/grid_study.h"
#include "calibrate/studies/method_identity.h"
#include "calibrate/studies/stop_policies.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

constexpr int kStopRounds = 1;  // where --rounds is not given
constexpr int kMostDrafts = 64;

/// What `calibrate bench --grid` and `--stops` take.
struct GridFlags {
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"ngrammys"};
  std::vector<std::string> drafts, draft_lengths;  // as written; empty: the usual ones
  std::string plot;
  std::set<std::string> given;  // long names of the flags on the command line

  GridFlags() { prompts.prompts = cli::kShippedPrompts; }
};

struct BenchOptions {
  cli::TargetFlags target;
  bool grid = false;
  bool stops = false;
  std::optional<int> rounds;
  std::string json;
  double minutes = 0;
  GridFlags of_grid;
};

/// The journal of a measurement. @param settings  with method_identity
data::Journal journal_of_bench(const std::string& kind, inference::Target& target,
                               const std::vector<text::PromptRecord>& prompts,
                               const inference::GenerationOptions& generation,
                               const std::string& settings) {
  return journal_in(journal_folder(), "bench-" + kind, target,
                    answers_to(prompts, target, generation), settings);
}

void bench_grid(const BenchOptions& options, Watch& watch) {
  const GridFlags& flags = options.of_grid;
  GridReport report;
  report.drafts = {1, 2, 5, 10};
  report.draft_lengths = {1, 2, 4, 8};
  cli::read_whole_numbers("--drafts", flags.drafts, 1, kMostDrafts, report.drafts);
  cli::read_whole_numbers("--draft-length", flags.draft_lengths, 1, methods::kMostDraftLength,
                          report.draft_lengths);
  inference::GenerationOptions generation = generation_options(flags.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  std::set<std::string> of_method = flags.given;
  for (const char* filled_in : {"drafts", "draft-length"}) of_method.erase(filled_in);
  const auto method = flags.method.chosen(of_method);  // refuses --query where it has none
  if (!method->capabilities().drafts_in_grids)
    throw InputError(fmt::format(
        "--method: expected one with both --drafts and --draft-length, such as ngrammys, found {}",
        method->name()));
  std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  inference::Target target(target_options(options.target, false));
  GridStudy study(
      target, cli::artifact_folders(), generation, [&] { return flags.method.chosen({}); }, report,
      watch);
  inference::choose_prompts(target, flags.prompts.skip_refused, prompts);
  report.model = options.target.model;
  report.method = flags.method.method;
  OutputFile json("--json", options.json), plot("--plot", flags.plot);
  data::Journal journal = journal_of_bench("grid", target, prompts, generation, study.identity());
  study.run(prompts, journal);
  json.write_all(report_json(report));
  plot.write_all(report_plot(report));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(report_text(report));
  journal.remove();
}

/// The flags that --grid shares, --draft, --draft-vocab and --verify; --method is not read.
void bench_stops(const BenchOptions& options, Watch& watch) {
  const GridFlags& flags = options.of_grid;
  inference::GenerationOptions generation = generation_options(flags.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  inference::Target target(target_options(options.target, false));
  inference::choose_prompts(target, flags.prompts.skip_refused, prompts);
  const methods::MethodTarget of_target(target.model(), target.engine(), cli::artifact_folders(),
                                        generation.sampler.temperature, nullptr, watch.notices());
  methods::Ssd given;
  flags.method.read(given);
  const std::string identity = method_identity(given, target, cli::artifact_folders());
  StopPolicies policies = stop_policies(given, of_target);
  const methods::ResolvedSsd& first = policies.first;
  study::StopStudy study;
  study.model = options.target.model;
  study.draft = first.settings.draft;
  study.verify = first.settings.verify;
  study.machine = target.engine().place().name;
  study.numerics = target.engine().numerics_name();
  study.isa = target.engine().place().unit;
  study.threads = target.engine().workers();
  study.prompts = static_cast<int>(prompts.size());
  study.rounds = options.rounds.value_or(kStopRounds);
  study.max_new = generation.max_new;
  study.temperature = generation.sampler.temperature;
  study::StopStudyRun run(target, generation, std::move(policies.policies), *first.draft->engine,
                          first.options.head_tokens, study);
  OutputFile json("--json", options.json), plot("--plot", flags.plot);
  data::Journal journal = journal_of_bench("stops", target, prompts, generation,
                                           fmt::format("{} rounds, {}", study.rounds, identity));
  watch.listen();
  plan_prompts(watch, journal.left_of(prompts), study.max_new,
               fmt::format("texts decoded with {} policies each, {} times", study.cells.size(),
                           study.rounds),
               study.rounds, [&](const text::PromptRecord& prompt, int max_new) {
                 run.decode_sample(prompt, max_new);
               });
  run.run(prompts, journal, watch);
  json.write_all(study_json(study));
  plot.write_all(study_plot(study));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(study_text(study));
  journal.remove();
}

void bench(const BenchOptions& options, const cli::TimeLimit& limit) {
  if (options.grid == options.stops)
    throw InputError(
        "bench: expected --grid, for drafts of every number and length, or --stops, for rounds of "
        "a draft model; passes of the target are timed by `runtime bench --engine`");
  cli::ShownWatch watch("calibrate bench", limit, false);
  if (options.grid)
    bench_grid(options, watch);
  else
    bench_stops(options, watch);
}

/// --prompts, --limit, --max-new, --method, --drafts, --draft-length, --query, --temperature, --seed,
/// --draft, --draft-vocab, --verify, --artifacts, --plot
void declare_grid_flags(cli::CommandOptions& command, GridFlags& flags) {
  command
      .add_option("--prompts", flags.prompts.prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE")
      .reads(cli::prompts_at);
  declare_record_flags(command, flags.prompts);
  declare_max_new_flag(command, flags.generation);
  command.add_option("--method", flags.method.method, "How to draft: a method with --drafts")
      .check(cli::one_of(methods::names_of(methods::all_methods())));
  command.add_list("--drafts", flags.drafts, "Numbers of drafts, k (default: 1 2 5 10)");
  command.add_list("--draft-length", flags.draft_lengths,
                   "Tokens of a draft, w (default: 1 2 4 8)");
  flags.method.declare_setting(command, "query");
  declare_temperature_flag(command, flags.generation);
  declare_seed_flag(command, flags.generation);
  flags.method.declare_setting(command, "draft");
  flags.method.declare_setting(command, "draft-vocab");
  flags.method.declare_setting(command, "verify");
  flags.method.declare_setting(command, "artifacts");
  command.add_option("--plot", flags.plot, "Also draw heat maps of the grid, or the study, as SVG")
      .type_name("FILE")
      .writes();
}

/// What only one kind of measurement uses.
void declare_uses(cli::CommandOptions& command, const BenchOptions& options) {
  const auto only = [&](const std::vector<std::string>& flags, const bool& kind,
                        const std::string& name) {
    command.refuse_unless(
        flags, [&kind] { return kind; }, "only with " + name);
  };
  only({"method", "drafts", "draft-length", "query"}, options.grid, "--grid");
  only({"draft", "draft-vocab", "verify", "rounds"}, options.stops, "--stops");
}

}  // namespace

cli::Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  cli::CommandOptions command(program, "bench", "Decode prompts with many settings of a drafter");
  command.footer(
      "An interrupted run goes on when the same command is given again: texts that were decoded "
      "with all\n"
      "settings count, and the result tells of how many starts it is.\n\n"
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
      .type_name("FILE")
      .writes();
  cli::declare_minutes_flag(command, options->minutes);
  declare_grid_flags(command, options->of_grid);
  declare_chat_flags(command, options->target);
  declare_uses(command, *options);
  return {command, [options, command] {
            options->of_grid.given = command.given();
            const cli::TimeLimit limit(options->minutes);
            cli::keep_to(limit, [&] { bench(*options, limit); });
          }};
}

}  // namespace outrider::calibrate
