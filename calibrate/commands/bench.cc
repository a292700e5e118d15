#include <fmt/core.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/journal_folder.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/printed_result.h"
#include "calibrate/report/grid_report.h"
#include "calibrate/report/stop_report.h"
#include "calibrate/studies/grid_study.h"
#include "calibrate/studies/policy_study.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

constexpr int kStopRounds = 1;  // where --rounds is not given
constexpr int kMostDrafts = 64;

struct BenchOptions {
  cli::TargetFlags target;
  bool grid = false;
  bool stops = false;
  std::optional<int> rounds;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"ngrammys"};
  std::vector<std::string> drafts, draft_lengths;  // as written; empty: the usual ones
  std::string plot;
  PrintedResult result;

  BenchOptions() { prompts.prompts = cli::kShippedPrompts; }
};

/// Decodes the prompts as a study does, and prints what it finds.
/// @param kind  "grid"
template <typename Study>
void measure(const BenchOptions& options, const std::string& kind, inference::Target& target,
             const std::vector<text::PromptRecord>& prompts,
             const inference::GenerationOptions& generation, Study& study) {
  OutputFile json("--json", options.result.json), plot("--plot", options.plot);
  data::Journal journal = journal_in(journal_folder(), "bench-" + kind, target,
                                     answers_to(prompts, target, generation), study.identity());
  const auto& found = study.run(prompts, journal);
  json.write_all(study_json(found));
  plot.write_all(study_plot(found));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(study_text(found));
  journal.remove();
}

void bench_grid(const BenchOptions& options, const inference::GenerationOptions& generation,
                Watch& watch) {
  TriedGrid tried;
  cli::read_whole_numbers("--drafts", options.drafts, 1, kMostDrafts, tried.drafts);
  cli::read_whole_numbers("--draft-length", options.draft_lengths, 1, methods::kMostDraftLength,
                          tried.draft_lengths);
  std::set<std::string> of_method = options.result.given;
  for (const char* filled_in : {"drafts", "draft-length"}) of_method.erase(filled_in);
  const auto method = options.method.chosen(of_method);  // refuses --query where it has none
  if (!method->capabilities().drafts_in_grids)
    throw InputError(fmt::format(
        "--method: expected one with both --drafts and --draft-length, such as ngrammys, found {}",
        method->name()));
  std::vector<text::PromptRecord> prompts = read_prompts(options.prompts);
  inference::Target target(target_options(options.target, false));
  GridStudy study(
      target, cli::artifact_folders(), generation, [&] { return options.method.chosen({}); }, tried,
      watch);
  inference::choose_prompts(target, options.prompts.skip_refused, prompts);
  measure(options, "grid", target, prompts, generation, study);
}

/// The flags that --grid shares, --draft, --draft-vocab and --verify; --method is not read.
void bench_stops(const BenchOptions& options, const inference::GenerationOptions& generation,
                 Watch& watch) {
  std::vector<text::PromptRecord> prompts = read_prompts(options.prompts);
  inference::Target target(target_options(options.target, false));
  inference::choose_prompts(target, options.prompts.skip_refused, prompts);
  methods::Ssd given;
  options.method.read(given);
  PolicyStudy study(target, cli::artifact_folders(), generation, given,
                    options.rounds.value_or(kStopRounds), watch);
  measure(options, "stops", target, prompts, generation, study);
}

void bench(const BenchOptions& options, Watch& watch) {
  if (options.grid == options.stops)
    throw InputError(
        "bench: expected --grid, for drafts of every number and length, or --stops, for rounds of "
        "a draft model; passes of the target are timed by `runtime bench --engine`");
  inference::GenerationOptions generation = generation_options(options.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  if (options.grid)
    bench_grid(options, generation, watch);
  else
    bench_stops(options, generation, watch);
}

/// --prompts, --limit, --max-new, --method, --drafts, --draft-length, --query, --temperature, --seed,
/// --draft, --draft-vocab, --verify, --artifacts, --plot
void declare_grid_flags(cli::CommandOptions& command, BenchOptions& options) {
  command
      .add_option("--prompts", options.prompts.prompts,
                  "Prompts to decode (JSON lines), first turns")
      .type_name("FILE")
      .reads(cli::prompts_at);
  declare_record_flags(command, options.prompts);
  declare_max_new_flag(command, options.generation);
  command.add_option("--method", options.method.method, "How to draft: a method with --drafts")
      .check(cli::one_of(methods::names_of(methods::all_methods())));
  command.add_list("--drafts", options.drafts, "Numbers of drafts, k (default: 1 2 5 10)");
  command.add_list("--draft-length", options.draft_lengths,
                   "Tokens of a draft, w (default: 1 2 4 8)");
  options.method.declare_setting(command, "query");
  declare_temperature_flag(command, options.generation);
  declare_seed_flag(command, options.generation);
  options.method.declare_setting(command, "draft");
  options.method.declare_setting(command, "draft-vocab");
  options.method.declare_setting(command, "verify");
  options.method.declare_setting(command, "artifacts");
  command
      .add_option("--plot", options.plot, "Also draw heat maps of the grid, or the study, as SVG")
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
  declare_json_flag(
      command, options->result,
      "Also write the figures to this file; - is standard output, instead of the text");
  cli::declare_minutes_flag(command, options->result.minutes);
  declare_grid_flags(command, *options);
  declare_chat_flags(command, options->target);
  declare_uses(command, *options);
  return printing_command(command, options, bench);
}

}  // namespace outrider::calibrate
