#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "calibrate/answers/halves_of_prompts.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/left_of_studies.h"
#include "calibrate/commands/pld_plus_plots.h"
#include "calibrate/commands/pld_plus_settings.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/commands/study_plans.h"
#include "calibrate/pld_plus/head_search.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/report/pld_plus_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kHeadsExamples =
    "Heads are ranked on every other prompt; on the others all numbers of heads are tried. A run "
    "that was\ninterrupted continues when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate heads -m MODEL.gguf\n"
    "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5\n"
    "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5 --shard 2/3\n";

// The smallest number of copied tokens for a reliable ranking.
constexpr std::int64_t kEnoughTokens = 20'000;

struct HeadsOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;

  HeadsOptions() { answers.samples = 0; }
};

/// The state of one call of `calibrate heads`.
class HeadsCommand {
 public:
  explicit HeadsCommand(const HeadsOptions& options)
      : options_(options),
        target_(target_of_traces(options.answers.target, options.answers.data,
                                 options.answers.quiet)) {}

  void run() {
    catch_interrupts();
    const auto identity = artifacts::identity_of(target_.model());
    const auto artifact = result_file(options_.result, identity, artifacts::kPldPlusHeads);
    const WorkShare share = share_of(options_.result, artifact, options_.answers.quiet);
    check_answer_source(target_, options_.answers);
    OutputFile plot("--plot", options_.plot);
    Answers answers = find_answers(
        target_, options_.answers, artifact, "heads-answers",
        [&](const WorkAhead& ahead) {
          if (ahead.to_make > 0) announce(ahead, ahead.share(0.5), ahead.share(0.5));
        },
        [&](const auto& made) { return are_enough(made); });
    split(answers.all);
    journals_.push_back(
        journal_of(artifact, kHeadsCounted, target_, answers.all, "", share, halves_[0].size()));
    const auto left = journals_[0].left_of(halves_[0]);
    if (!left.empty())
      announce({}, work_on(left), journals_[0].is_part() ? WorkAhead() : work_on(halves_[1]));
    std::array<HeadSearch, 2> searches = {count_first_half(), HeadSearch(target_.engine())};
    const auto ranking = ranked_heads(searches[0].total(), target_.model().config.heads);
    journals_.push_back(
        journal_of(artifact, kHeadsTried, target_, answers.all, "", share, halves_[1].size()));
    announce({}, {}, work_on(journals_[1].left_of(halves_[1])));
    const HeadSweep sweep = try_out(ranking, searches[1]);
    end_share(share);
    draft::PldPlusHeads found = counts(searches, ranking);
    const std::size_t best = note_sweep(sweep, options_.draft_length, found);
    found.settings =
        find_settings(target_.engine(), halves_[1], {-1},
                      known_artifacts(options_.result, identity), sweep.table().only(best));
    const auto path = write_result(options_.result, identity, artifacts::kPldPlusHeads,
                                   "calibrate heads", answers.seed, answers.identity,
                                   [&](hdf5::Writer& file, const std::string& group) {
                                     artifacts::write_pld_plus_heads(found, file, group);
                                   });
    for (data::Journal& journal : journals_) journal.remove();
    if (answers.made) answers.made->remove();
    plot.write_all(plot_of(found));
    if (!plot.is_standard_output()) report(found, searches[0].total().tokens);
    print(fmt::format("written to {}", path.string()));
  }

 private:
  void print(const std::string& line) const {
    if (!options_.answers.quiet) print_log("{}\n", line);
  }

  /// Once, before whatever comes first. @param counted, tried  what is left of the two parts
  void announce(const WorkAhead& ahead, const WorkAhead& counted, const WorkAhead& tried) {
    if (options_.answers.quiet || std::exchange(is_announced_, true)) return;
    std::vector<PlannedPart> parts = making_part(ahead);
    for (PlannedPart& part : heads_parts(target_.engine(), counted, tried))
      parts.push_back(std::move(part));
    cli::announce("calibrate heads", parts, options_.result.minutes, false);
  }

  /// Assigns prompts alternately to the two halves, with all their answers.
  void split(const std::vector<Answer>& answers) {
    HalvesOfPrompts halves;
    for (const Answer& answer : answers) halves_[halves.half_of(answer)].push_back(answer);
    if (halves.prompts() < 2)
      throw InputError("calibrate heads: expected answers to at least two prompts, found one");
  }

  /// Whether the ranking half has enough copied tokens.
  bool are_enough(const std::vector<Answer>& answers) const {
    HalvesOfPrompts halves;
    std::int64_t tokens = 0;
    for (const Answer& answer : answers)
      if (halves.half_of(answer) == 0) tokens += copied_tokens(answer);
    print(fmt::format("{} copied tokens to rank heads by, {} wanted", tokens, kEnoughTokens));
    return tokens >= kEnoughTokens;
  }

  /// The number of tokens, then the hits, [1 + layers * heads].
  data::Journal::Entry numbers_of(const HeadHits& counted) const {
    const model::ModelConfig& config = target_.model().config;
    data::Journal::Entry numbers = {static_cast<std::int32_t>(counted.tokens)};
    for (const std::int64_t hits : counted.hits) numbers.push_back(static_cast<std::int32_t>(hits));
    numbers.resize(1 + static_cast<std::size_t>(config.layers * config.heads));
    return numbers;
  }
  /// Adds the counts at the front of an entry to `search`, and removes them from the entry.
  /// @return false for an entry that is too short
  bool add_kept(const Answer& answer, std::span<const std::int32_t>& kept,
                HeadSearch& search) const {
    const model::ModelConfig& config = target_.model().config;
    const auto heads = static_cast<std::size_t>(config.layers * config.heads);
    if (kept.size() < 1 + heads) return false;
    const auto hits = kept.subspan(1, heads);
    search.add(answer.task, {{hits.begin(), hits.end()}, kept[0]});
    kept = kept.subspan(1 + heads);
    return true;
  }

  HeadSearch count_first_half() {
    HeadSearch search(target_.engine());
    for_each_answer(
        "answers counted", halves_[0], options_.answers.quiet, journals_[0],
        [&](const Answer& answer) {
          HeadSearch one(target_.engine());
          one.add(answer);
          search.add(answer.task, one.total());
          return numbers_of(one.total());
        },
        [&](const Answer& answer, const data::Journal::Entry& entry) {
          std::span<const std::int32_t> kept = entry;
          return add_kept(answer, kept, search) && kept.empty();
        });
    if (search.total().tokens == 0)
      throw InputError("calibrate heads: no answer repeats a token of its prompt");
    return search;
  }

  /// Tries the ranking on the second half, whose copied tokens are counted in the same passes.
  HeadSweep try_out(const std::vector<engine::Head>& ranking, HeadSearch& counted) {
    HeadSweep sweep(target_.engine(), ranking, head_choices(target_.model().config));
    for_each_answer(
        "answers tried", halves_[1], options_.answers.quiet, journals_[1],
        [&](const Answer& answer) {
          HeadSearch one(target_.engine());
          sweep.add(answer, &one);
          counted.add(answer.task, one.total());
          data::Journal::Entry found = numbers_of(one.total());
          const auto noted = sweep.table().last_noted();
          found.insert(found.end(), noted.begin(), noted.end());
          return found;
        },
        [&](const Answer& answer, const data::Journal::Entry& entry) {
          std::span<const std::int32_t> kept = entry;
          return add_kept(answer, kept, counted) && sweep.table().restore(answer, kept);
        });
    return sweep;
  }

  draft::PldPlusHeads counts(const std::array<HeadSearch, 2>& searches,
                             const std::vector<engine::Head>& ranking) const {
    draft::PldPlusHeads found;
    found.layers = target_.model().config.layers;
    found.heads = target_.model().config.heads;
    std::set<std::string> tasks;
    for (const HeadSearch& search : searches)
      for (const auto& [task, counted] : search.by_task()) tasks.insert(task);
    found.tasks.assign(tasks.begin(), tasks.end());
    for (const HeadSearch& search : searches) {
      for (const std::string& task : found.tasks) {
        const auto of_task = search.by_task().find(task);
        HeadHits counted = of_task == search.by_task().end() ? HeadHits() : of_task->second;
        counted.hits.resize(ranking.size());
        found.tokens.push_back(counted.tokens);
        found.hits.insert(found.hits.end(), counted.hits.begin(), counted.hits.end());
      }
    }
    for (const engine::Head& head : ranking) {
      found.ranking.push_back(head.layer);
      found.ranking.push_back(head.head);
    }
    return found;
  }

  /// @param tokens  that heads were ranked by
  void report(const draft::PldPlusHeads& found, std::int64_t tokens) const {
    std::string text = report::pld_plus_heads_text(found);
    if (tokens < kEnoughTokens)
      text += fmt::format(
          "\nfewer than {} copied tokens: more prompts, or --data, would rank heads better\n",
          kEnoughTokens);
    write_output(text);
  }

  const HeadsOptions& options_;
  inference::Target target_;
  std::array<std::vector<Answer>, 2> halves_;  // to rank by, and to try on
  std::vector<data::Journal> journals_;        // of each half
  bool is_announced_ = false;
};

}  // namespace

cli::Command add_heads(CLI::App& program) {
  auto options = std::make_shared<HeadsOptions>();
  cli::CommandOptions command(program, "heads",
                              "Find the heads that attend to the source of copied tokens");
  command.footer(kHeadsExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft when heads are compared")
      .check(cli::whole_number(1, 256));
  command
      .add_option("--plot", options->plot,
                  "Also draw the map of the heads' hits and the curves, as SVG")
      .type_name("FILE");
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options,
                        [](const HeadsOptions& given) { HeadsCommand(given).run(); });
}

}  // namespace outrider::calibrate
