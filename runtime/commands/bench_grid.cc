#include "runtime/commands/bench_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/prompt_source.h"
#include "runtime/commands/grid_report.h"
#include "runtime/engine/machine.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/method.h"

namespace outrider {
namespace {

constexpr int kMostDrafts = 64;
constexpr int kLongestDraft = 256;

void check_has_grid(const std::string& method) {
  const auto& flags = flags_of_method(method);
  if (flags.count("drafts") > 0 && flags.count("draft-length") > 0) return;
  throw InputError(fmt::format(
      "--method: expected one with both --drafts and --draft-length, such as ngrammys, found {}",
      method));
}

/// One call of bench_grid.
class GridRun {
 public:
  GridRun(inference::Target& target, const DecodeOptions& options, GridReport& report)
      : target_(target), options_(options), report_(report) {
    for (const int drafts : report.drafts)
      for (const int length : report.draft_lengths)
        report.cells.push_back({.drafts = drafts, .draft_length = length});
  }

  void run(const std::vector<text::PromptRecord>& prompts) {
    Progress progress("texts", std::ssize(prompts) * (std::ssize(report_.cells) + 1));
    std::int64_t done = 0;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      const auto plain = decode(prompts[p], report_.plain);
      progress.show(++done);
      // Another cell goes first each time.
      for (std::size_t i = 0; i < report_.cells.size(); ++i) {
        GridCell& cell = report_.cells[(p + i) % report_.cells.size()];
        if (decode(prompts[p], cell) != plain)
          throw CheckFailed(fmt::format("bench: prompt '{}': {} drafts of {} gave another text",
                                        prompts[p].id, cell.drafts, cell.draft_length));
        progress.show(++done);
      }
    }
  }

 private:
  std::vector<Token> decode(const text::PromptRecord& prompt, GridCell& cell) {
    DecodeOptions options = options_;
    const bool plain = cell.drafts == 0;
    if (!plain) {
      options.drafts = cell.drafts;
      options.draft_length = cell.draft_length;
    }
    inference::Generation generation(target_, generation_options(options),
                                     inference::context_needed(target_, prompt, options.max_new),
                                     plain ? nullptr : make_drafter(options));
    const inference::GeneratedText text = generation.generate(
        {prompt.id, prompt.task}, inference::Dialogue(target_).ask(prompt.turns[0]));
    if (interrupted()) throw Interrupted();
    cell.add(text.result);
    return text.result.tokens;
  }

  inference::Target& target_;
  const DecodeOptions& options_;
  GridReport& report_;
};

}  // namespace

GridOptions::GridOptions() {
  decode.method = "ngrammys";
  decode.prompts = kShippedPrompts;
}

void declare_grid_flags(CommandOptions& command, GridOptions& options) {
  DecodeOptions& decode = options.decode;
  command.add_option("--prompts", decode.prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE");
  command.add_option("--limit", decode.limit, "Records of --prompts to decode; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()));
  declare_max_new_flag(command, decode);
  command.add_option("--method", decode.method, "How to draft: a method with --drafts")
      .check(one_of(method_names()));
  command.add_list("--drafts", options.drafts, "Numbers of drafts, k (default: 1 2 5 10)");
  command.add_list("--draft-length", options.draft_lengths,
                   "Tokens of a draft, w (default: 1 2 4 8)");
  command.add_option("--query", decode.query, "context-ngram, ngrammys: tokens looked up")
      .check(whole_number(1, 64));
  declare_temperature_flag(command, decode);
  declare_seed_flag(command, decode);
  command
      .add_option("--artifacts", decode.artifacts,
                  "What calibration made, a file or a folder of them; what it lacks, and without "
                  "this flag all, comes from checkpoints/")
      .type_name("FILE");
  command.add_option("--plot", options.plot, "Also draw heat maps of the grid, as SVG")
      .type_name("FILE");
}

void bench_grid(GridOptions options) {
  GridReport report;
  report.drafts = {1, 2, 5, 10};
  report.draft_lengths = {1, 2, 4, 8};
  read_whole_numbers("--drafts", options.drafts, 1, kMostDrafts, report.drafts);
  read_whole_numbers("--draft-length", options.draft_lengths, 1, kLongestDraft,
                     report.draft_lengths);
  DecodeOptions& decode = options.decode;
  check_has_grid(decode.method);
  // The method is settled for the largest draft: it refuses what is too large.
  decode.drafts = *std::max_element(report.drafts.begin(), report.drafts.end());
  decode.draft_length = report.draft_lengths.front();
  settle(decode);
  const std::vector<text::PromptRecord> prompts = read_prompts(decode);
  inference::Target target(target_options(decode));
  settle_method(decode, target.model(), target.engine());
  for (const text::PromptRecord& prompt : prompts) inference::check_fits(target, prompt);
  report.model = decode.model;
  report.machine = engine::machine_name();
  report.numerics = target.engine().numerics_name();
  report.isa = target.engine().isa_name();
  report.threads = target.engine().threads();
  report.method = decode.method;
  report.prompts = static_cast<int>(prompts.size());
  report.max_new = decode.max_new;
  OutputFile json("--json", options.json), plot("--plot", options.plot);
  catch_interrupts();
  GridRun(target, decode, report).run(prompts);
  json.write_all(report_json(report));
  plot.write_all(report_plot(report));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(report_text(report));
}

}  // namespace outrider
