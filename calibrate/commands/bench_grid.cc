#include "calibrate/commands/bench_grid.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "calibrate/commands/grid_report.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/notices.h"
#include "runtime/cli/progress.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {
namespace {

constexpr int kMostDrafts = 64;

/// The method with this number and length of drafts.
methods::PreparedMethod prepared(const cli::MethodFlags& flags, int drafts, int draft_length,
                                 const methods::MethodTarget& target) {
  const auto method = flags.chosen({});
  methods::fill_in(*method, "drafts", drafts);
  methods::fill_in(*method, "draft-length", draft_length);
  return method->prepare(target);
}

/// One call of bench_grid.
class GridRun {
 public:
  GridRun(inference::Target& target, const inference::GenerationOptions& options,
          const cli::MethodFlags& method, GridReport& report)
      : target_(target), options_(options), report_(report) {
    const methods::MethodTarget of_target(
        target.model(), target.engine(), options.sampler.temperature, nullptr, cli::notices(false));
    for (const int drafts : report.drafts)
      for (const int length : report.draft_lengths) {
        report.cells.push_back({.drafts = drafts, .draft_length = length});
        methods_.push_back(prepared(method, drafts, length, of_target));
      }
  }

  void run(const std::vector<text::PromptRecord>& prompts) {
    cli::Progress progress("texts", std::ssize(prompts) * (std::ssize(report_.cells) + 1));
    std::int64_t done = 0;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      const auto plain = decode(prompts[p], report_.plain, nullptr);
      progress.show(++done);
      // Each round starts with another cell.
      for (std::size_t i = 0; i < report_.cells.size(); ++i) {
        const std::size_t next = (p + i) % report_.cells.size();
        GridCell& cell = report_.cells[next];
        if (decode(prompts[p], cell, methods_[next].new_drafter()) != plain)
          throw CheckFailed(fmt::format("bench: prompt '{}': {} drafts of {} gave another text",
                                        prompts[p].id, cell.drafts, cell.draft_length));
        progress.show(++done);
      }
    }
  }

 private:
  std::vector<Token> decode(const text::PromptRecord& prompt, GridCell& cell,
                            std::unique_ptr<draft::Drafter> drafter) {
    inference::Generation generation(target_, options_,
                                     inference::context_needed(target_, prompt, options_.max_new),
                                     std::move(drafter));
    const inference::GeneratedText text =
        generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt));
    if (interrupted()) throw Interrupted();
    cell.sums.add(text.result);
    return text.result.tokens;
  }

  inference::Target& target_;
  const inference::GenerationOptions& options_;
  GridReport& report_;
  std::vector<methods::PreparedMethod> methods_;  // of the cells
};

}  // namespace

void declare_grid_flags(cli::CommandOptions& command, GridFlags& flags) {
  command
      .add_option("--prompts", flags.prompts.prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
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
  flags.method.declare_setting(command, "verify");
  flags.method.declare_setting(command, "artifacts");
  command.add_option("--plot", flags.plot, "Also draw heat maps of the grid, or the study, as SVG")
      .type_name("FILE");
}

void bench_grid(const cli::TargetFlags& target_flags, const GridFlags& flags,
                const std::string& json_path) {
  GridReport report;
  report.drafts = {1, 2, 5, 10};
  report.draft_lengths = {1, 2, 4, 8};
  cli::read_whole_numbers("--drafts", flags.drafts, 1, kMostDrafts, report.drafts);
  cli::read_whole_numbers("--draft-length", flags.draft_lengths, 1, methods::kMostDraftLength,
                          report.draft_lengths);
  const inference::GenerationOptions options = generation_options(flags.generation);
  std::set<std::string> of_method = flags.given;
  for (const char* filled_in : {"drafts", "draft-length"}) of_method.erase(filled_in);
  const auto method = flags.method.chosen(of_method);  // refuses --query where it has none
  if (!method->capabilities().drafts_in_grids)
    throw InputError(fmt::format(
        "--method: expected one with both --drafts and --draft-length, such as ngrammys, found {}",
        method->name()));
  std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  inference::Target target(target_options(target_flags, false));
  GridRun run(target, options, flags.method, report);
  inference::choose_prompts(target, flags.prompts.skip_refused, prompts);
  report.model = target_flags.model;
  report.machine = target.engine().place().name;
  report.numerics = target.engine().numerics_name();
  report.isa = target.engine().place().unit;
  report.threads = target.engine().workers();
  report.method = flags.method.method;
  report.prompts = static_cast<int>(prompts.size());
  report.max_new = options.max_new;
  OutputFile json("--json", json_path), plot("--plot", flags.plot);
  catch_interrupts();
  run.run(prompts);
  json.write_all(report_json(report));
  plot.write_all(report_plot(report));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(report_text(report));
}

}  // namespace outrider::calibrate
