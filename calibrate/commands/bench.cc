#include <fmt/core.h>

#include <optional>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/report/grid_report.h"
#include "calibrate/report/stop_report.h"
#include "calibrate/studies/policy_study.h"
#include "runtime/base/error.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/inference/context_needed.h"

namespace outrider::calibrate {
namespace {

constexpr int kStopRounds = 1;  // where --rounds is not given
constexpr int kMostDrafts = 64;

struct BenchOptions : StudyFlags {
  cli::TargetFlags target;
  bool grid = false;
  bool stops = false;
  std::optional<int> rounds;
  cli::PromptFlags prompts;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"ngrammys"};
  std::vector<std::string> drafts, draft_lengths;  // as written; empty: the usual ones
};

/// Decodes the prompts as a study does, and shows what it finds.
/// @param kind  "grid"
template <typename Study>
void measure(const BenchOptions& options, const std::string& kind, inference::Target& target,
             const std::vector<text::PromptRecord>& prompts,
             const inference::GenerationOptions& generation, Study& study) {
  ShownFiles files(options);
  data::Journal journal = journal_in(journal_folder(), "bench-" + kind, target,
                                     answers_to(prompts, target, generation), study.identity());
  const auto& found = study.run(prompts, journal);
  files.show({study_text(found), study_json(found), study_plot(found)});
  journal.remove();
}

/// Numbers of drafts and lengths of the grid. @throws InputError for a method without both
TriedGrid grid_of(const BenchOptions& options) {
  TriedGrid tried;
  cli::read_whole_numbers("--drafts", options.drafts, 1, kMostDrafts, tried.drafts);
  cli::read_whole_numbers("--draft-length", options.draft_lengths, 1, methods::kMostDraftLength,
                          tried.draft_lengths);
  std::set<std::string> given = options.given;
  for (const char* filled_in : {"drafts", "draft-length"}) given.erase(filled_in);
  const auto method = options.method.chosen(given);  // refuses --query where it has none
  if (!method->capabilities().drafts_in_grids)
    throw InputError(fmt::format(
        "--method: expected one with both --drafts and --draft-length, such as ngrammys, found {}",
        method->name()));
  return tried;
}

void bench(const BenchOptions& options, Watch& watch) {
  if (options.grid == options.stops)
    throw InputError(
        "bench: expected --grid, for drafts of every number and length, or --stops, for rounds of "
        "a draft model; passes of the target are timed by `runtime bench --engine`");
  inference::GenerationOptions generation = generation_options(options.generation);
  generation.interrupted = [&watch] { return watch.interrupted(); };
  const TriedGrid tried = options.grid ? grid_of(options) : TriedGrid();
  std::vector<text::PromptRecord> prompts = read_prompts(options.prompts);
  inference::Target target(target_options(options.target, false));
  inference::choose_prompts(target, options.prompts.skip_refused, prompts);
  const artifacts::Folders& folders = options.files.folders;
  if (options.grid) {
    const auto new_method = [&] { return options.method.chosen({}); };
    GridStudy study(target, folders, generation, new_method, tried, watch);
    measure(options, "grid", target, prompts, generation, study);
  } else {  // the flags that --grid shares, --draft, --draft-vocab and --verify; --method is not read
    methods::Ssd given;
    options.method.read(given);
    const int rounds = options.rounds.value_or(kStopRounds);
    PolicyStudy study(target, folders, generation, given, rounds, watch);
    measure(options, "stops", target, prompts, generation, study);
  }
}

void declare_study_flags(cli::CommandOptions& command, BenchOptions& options) {
  declare_first_turns_flags(command, options.prompts);
  declare_max_new_flag(command, options.generation);
  command.add_option("--method", options.method.method, "How to draft: a method with --drafts")
      .check(cli::one_of(methods::names_of(methods::all_methods())));
  command.add_list("--drafts", options.drafts, "Numbers of drafts, k (default: 1 2 5 10)");
  command.add_list("--draft-length", options.draft_lengths,
                   "Tokens of a draft, w (default: 1 2 4 8)");
  options.method.declare_setting(command, "query");
  declare_temperature_flag(command, options.generation);
  declare_seed_flag(command, options.generation);
  for (const char* name : {"draft", "draft-vocab", "verify", "artifacts"})
    options.method.declare_setting(command, name);
  declare_plot_flag(command, options, "heat maps of the grid, or the study, as SVG");
  command.refuse_unless(
      {"method", "drafts", "draft-length", "query"}, [&options] { return options.grid; },
      "only with --grid");
  command.refuse_unless(
      {"draft", "draft-vocab", "verify", "rounds"}, [&options] { return options.stops; },
      "only with --stops");
}

}  // namespace

cli::Command add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  options->prompts.prompts = cli::kShippedPrompts;
  cli::CommandOptions command(program, "bench", "Decode prompts with many settings of a drafter");
  command.footer(
      "An interrupted run goes on when the same command is given again: texts that were decoded "
      "with all settings count, and the result tells of how many starts it is.\n\n"
      "Examples:\n"
      "  calibrate bench --grid -m MODEL.gguf --prompts PROMPTS.jsonl --drafts 1 10 25 "
      "--draft-length 2 6 14 --plot grid.svg\n"
      "  calibrate bench --stops -m MODEL.gguf --prompts PROMPTS.jsonl --limit 80 --rounds 3 "
      "--plot stops.svg\n");
  declare_model_flags(command, options->target.model, options->target.context);
  command.add_flag("--grid", options->grid,
                   "Decode prompts with every number and length of drafts");
  command.add_flag("--stops", options->stops,
                   "Decode prompts with a draft model under every stop policy");
  declare_threads_flag(command, options->target.engine);
  command
      .add_option("--rounds", options->rounds,
                  fmt::format("--stops: each text is decoded with every policy in each round, and "
                              "its median time counts (default {})",
                              kStopRounds))
      .check(cli::whole_number(1, 100000));
  declare_device_flag(command, options->target.engine);
  declare_numerics_flags(command, options->target.engine);
  declare_isa_flag(command, options->target.engine);
  declare_json_flag(command, *options, "figures");
  cli::declare_minutes_flag(command, options->minutes);
  declare_study_flags(command, *options);
  declare_chat_flags(command, options->target);
  return study_command(command, options, bench);
}

}  // namespace outrider::calibrate
