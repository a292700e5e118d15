#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/ngram_grid.h"
#include "calibrate/commands/ngram_trials.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/commands/study_plans.h"
#include "runtime/artifacts/ngrammys.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kNgramsExamples =
    "Tables are chosen by replaying answers of the model. An interrupted run continues "
    "on\n"
    "when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate ngrams -m MODEL.gguf\n"
    "  calibrate ngrams -m MODEL.gguf --unigram inner --context none --artifacts mine.h5\n"
    "  runtime decode -m MODEL.gguf --method ngrammys --artifacts mine.h5 -p 'Why is the sky "
    "blue?'\n";

constexpr int kBlock = 512;  // tokens of an entry in the journal
constexpr const char* kBest = "best";
constexpr const char* kAlone = "none";
constexpr const char* kInChat = "chat";
constexpr const char* kByBigram = "bigram";
constexpr const char* kByModel = "model";

struct NgramOptions {
  AnswerOptions answers;
  int top = 32;
  std::string unigram = kBest;
  std::string context = kBest;
  std::string extend = kByBigram;
  int extend_drafts = 4;
  int extend_length = 3;
  int batch = 128;
  std::string plot;
  ResultOptions result;

  NgramOptions() { answers.samples = 2; }
};

/// The state of one call of `calibrate ngrams`.
class NgramsCommand {
 public:
  explicit NgramsCommand(const NgramOptions& options)
      : options_(options),
        target_(
            target_of_traces(options.answers.target, options.answers.data, options.answers.quiet)),
        identity_(artifacts::identity_of(target_.model())) {
    if (options.top > identity_.vocab)
      throw InputError(fmt::format("--keep-top: found {}, expected at most {}, the vocabulary",
                                   options.top, identity_.vocab));
    if (options.context == kInChat && opening().empty())
      throw InputError("--context chat: the model has no chat format with marked turns");
  }

  void run() {
    catch_interrupts();
    const auto artifact = result_file(options_.result, identity_, artifacts::kNgrammys);
    share_ = share_of(options_.result, artifact, quiet());
    check_answer_source(target_, options_.answers);
    OutputFile plot("--plot", options_.plot);
    std::vector<BigramTrial> bigrams;
    for (const std::string& context : contexts())
      bigrams.push_back({context, begun_bigrams(artifact, context), {}});
    Answers answers = find_answers(target_, options_.answers, artifact, "ngrams-answers",
                                   [&](const WorkAhead& ahead) { announce(ahead, bigrams); });
    fill(bigrams);
    if (std::all_of(answers.all.begin(), answers.all.end(),
                    [](const Answer& answer) { return answer.made() < 2; }))
      throw InputError("calibrate ngrams: expected answers of two tokens at least to choose by");

    const auto unigrams =
        try_unigrams(target_.model(), answers.all, std::min(kTrialDrafts, identity_.vocab));
    try_bigrams(bigrams, answers.all);
    const auto tables = chosen_tables(unigrams, bigrams);
    std::string report = trials_text(unigrams, bigrams, *tables, target_.tokenizer());
    if (options_.extend == kByModel) report += extend(*tables, best_of(bigrams).table, answers.all);
    const auto path = write_result(options_.result, identity_, artifacts::kNgrammys,
                                   "calibrate ngrams", answers.seed, answers.identity,
                                   [&](hdf5::Writer& file, const std::string& group) {
                                     artifacts::write_ngrammys(*tables, file, group);
                                   });
    for (data::Journal& journal : journals_) journal.remove();
    const NgramFigures figures = {draft_curves(answers.all, tables),
                                  draft_uses(answers.all, tables)};
    report += curves_text(figures.curves) + uses_text(figures.uses);
    write_result(options_.result, identity_, kNgrammysFigures, "calibrate ngrams", answers.seed,
                 answers.identity, [&](hdf5::Writer& file, const std::string& group) {
                   write_ngram_figures(figures, file, group);
                 });
    report += calibrate_grid(target_, options_.answers, answers, tables, options_.result);
    if (answers.made) answers.made->remove();
    plot.write_all(plot_of(figures));
    if (!plot.is_standard_output()) write_output(report);
    print(fmt::format("written to {}", path.string()));
  }

 private:
  void print(const std::string& line) const {
    if (!quiet()) print_log("{}\n", line);
  }
  bool quiet() const { return options_.answers.quiet; }

  /// The chat format's text before an answer; nothing where it has no marks.
  std::vector<Token> opening() const {
    if (target_.chat().end_of_turn().empty()) return {};
    text::PromptText before;
    before.mark(target_.chat().before_answer());
    return target_.tokenizer().encode_opening(before);
  }

  std::vector<std::string> contexts() const {
    if (options_.context != kBest) return {options_.context};
    if (opening().empty()) return {kAlone};
    return {kAlone, kInChat};
  }

  /// @param bigrams  whose tables have the rows of earlier runs
  void announce(const WorkAhead& ahead, const std::vector<BigramTrial>& bigrams) {
    if (quiet()) return;
    std::vector<PlannedPart> parts = making_part(ahead);
    for (std::size_t i = 0; i < bigrams.size(); ++i)
      for (PlannedPart& part : bigram_parts(target_.engine(), bigrams[i].table, options_.batch,
                                            tokens_of(firsts_left(journals_[i]))))
        parts.push_back(std::move(part));
    const auto is_part = [](const data::Journal& journal) { return journal.is_part(); };
    if (std::none_of(journals_.begin(), journals_.end(), is_part))
      parts.push_back(ngram_settings_part(ahead, identity_.vocab, options_.top));
    cli::announce("calibrate ngrams", parts, options_.result.minutes, false);
  }

  /// A table with the rows that earlier runs found.
  BigramTable begun_bigrams(const std::filesystem::path& artifact, const std::string& context) {
    BigramTable table;
    if (context == kInChat) table.before = opening();
    table.top = options_.top;
    journals_.push_back(journal_of(
        artifact, "bigrams_" + context, target_, {},
        fmt::format("top {}, quantise {}, blocks of {}, after {}", options_.top,
                    options_.answers.target.engine.quantise, kBlock, fmt::join(table.before, " ")),
        share_, blocks()));
    if (!journals_.back().is_part())
      for (const data::Journal::Entry& rows : journals_.back().kept()) append_rows(rows, table);
    return table;
  }

  /// Fills the tables; with a share, its blocks of each. @throws PartDone after these
  void fill(std::vector<BigramTrial>& bigrams) {
    for (std::size_t i = 0; i < bigrams.size(); ++i) fill(bigrams[i].table, journals_[i]);
    for (const data::Journal& journal : journals_)
      if (journal.is_part()) journal.end_part();
    end_share(share_);
  }

  /// The number of blocks that a table is made in, each an entry of the journal.
  std::size_t blocks() const {
    return (static_cast<std::size_t>(identity_.vocab) + kBlock - 1) / kBlock;
  }

  Token end_of(Token first) const { return std::min(first + kBlock, identity_.vocab); }
  /// The first tokens of the blocks that a journal still lacks.
  std::vector<Token> firsts_left(const data::Journal& journal) const {
    std::vector<Token> firsts;
    for (std::size_t block = 0; block < blocks(); ++block)
      firsts.push_back(static_cast<Token>(block * kBlock));
    return journal.left_of(firsts);
  }
  std::int64_t tokens_of(const std::vector<Token>& firsts) const {
    std::int64_t tokens = 0;
    for (const Token first : firsts) tokens += end_of(first) - first;
    return tokens;
  }

  /// @throws Interrupted after an interrupt; finished blocks are stored
  void fill(BigramTable& table, data::Journal& journal) {
    const Stopwatch watch;
    const std::size_t kept = journal.kept().size();
    if (kept > 0) print(fmt::format("continuing after {} blocks of {} tokens", kept, kBlock));
    const std::vector<Token> firsts = firsts_left(journal);
    std::int64_t done = 0;
    cli::Progress progress(table.before.empty() ? "tokens" : "tokens of an answer",
                           tokens_of(firsts), quiet());
    for (const Token first : firsts) {
      BigramTable block = {table.before, table.top, first, {}, {}};
      const Token end = end_of(first);
      const bool whole = fill_bigram_table(target_.engine(), options_.batch, end, block, [&] {
        progress.show(done + block.rows());
        return !interrupted();
      });
      if (!whole) throw Interrupted();
      done += block.rows();
      const data::Journal::Entry rows = numbers_of(block);
      journal.append(rows);
      if (!journal.is_part()) append_rows(rows, table);
    }
    print(
        fmt::format("{} next tokens of each of {}, in {:.1f} s", table.top, done, watch.seconds()));
  }

  /// @return its results. @throws Interrupted; the next run starts it over
  std::string extend(draft::NgramTables& tables, const BigramTable& bigrams,
                     const std::vector<Answer>& answers) {
    ExtensionTrial trial;
    trial.extension.rows = std::min(options_.extend_drafts, bigrams.top);
    trial.extension.length = options_.extend_length - 1;
    cli::Progress progress("tokens extended", identity_.vocab, quiet());
    const bool whole =
        extend_greedily(target_.engine(), bigrams, options_.batch, trial.extension, [&] {
          progress.show(trial.extension.tokens_done());
          return !interrupted();
        });
    if (!whole) throw Interrupted();
    try_extension(trial, bigrams, answers);
    tables.extended_rows = trial.extension.rows;
    tables.extended_length = trial.extension.length;
    tables.extended = trial.extension.next;
    return extension_text(trial);
  }

  std::shared_ptr<draft::NgramTables> chosen_tables(const std::vector<UnigramTrial>& unigrams,
                                                    const std::vector<BigramTrial>& bigrams) const {
    const auto asked = std::find_if(unigrams.begin(), unigrams.end(), [&](const auto& trial) {
      return name_of(trial.measure) == options_.unigram;
    });
    const UnigramTrial& unigram = asked == unigrams.end() ? best_of(unigrams) : *asked;
    const BigramTrial& bigram = best_of(bigrams);
    auto tables = std::make_shared<draft::NgramTables>();
    tables->unigram = unigram.ranking;
    tables->unigram_measure = name_of(unigram.measure);
    tables->bigram_context = bigram.context;
    tables->top = bigram.table.top;
    tables->next = bigram.table.next;
    tables->log_probs = bigram.table.log_probs;
    tables->numerics = target_.engine().numerics_name();
    tables->tokens_per_pass = rates_of(unigrams, bigrams);
    return tables;
  }

  const NgramOptions& options_;
  inference::Target target_;
  artifacts::TargetIdentity identity_;
  WorkShare share_;
  std::vector<data::Journal>
      journals_;  // of the bigram tables, next to the artifact file until that is written
};

}  // namespace

cli::Command add_ngrams(CLI::App& program) {
  auto options = std::make_shared<NgramOptions>();
  cli::CommandOptions command(program, "ngrams",
                              "Make tables of next tokens from the model without any text");
  command.footer(kNgramsExamples);
  declare_answer_flags(command, options->answers);
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  command.add_option("--keep-top", options->top, "Next tokens kept for every token")
      .check(cli::whole_number(1, 256));
  command
      .add_option("--unigram", options->unigram,
                  "How tokens are ranked without a text: by the distance of their embeddings from "
                  "the mean, by the inner product with it, or by the one accepted more often")
      .check(cli::one_of({kBest, "distance", "inner"}))
      .rare();
  command
      .add_option("--context", options->context,
                  "Tokens before that of a bigram: none, the start of an answer in the "
                  "model's chat format (chat), or the one accepted more often")
      .check(cli::one_of({kBest, kAlone, kInChat}))
      .rare();
  command
      .add_option(
          "--extend", options->extend,
          "How drafts of bigrams continue after their first token: with the table's likeliest "
          "next token (bigram), or with the model's greedy choices (model), which is slow")
      .check(cli::one_of({kByBigram, kByModel}))
      .rare();
  command.add_option("--extend-drafts", options->extend_drafts, "--extend model: number of drafts")
      .check(cli::whole_number(1, 32))
      .rare();
  command
      .add_option("--extend-length", options->extend_length,
                  "--extend model: tokens of each, including the first")
      .check(cli::whole_number(2, 14))
      .rare();
  command.refuse_unless(
      {"extend-drafts", "extend-length"}, [options] { return options->extend == kByModel; },
      "only with --extend model");
  command.add_option("--batch", options->batch, "Tokens in one pass; changes the speed only")
      .check(cli::whole_number(1, 512))
      .rare();
  command
      .add_option(
          "--plot", options->plot,
          "Also draw tokens per pass against the number of drafts, and which drafts are kept, as "
          "SVG")
      .type_name("FILE");
  return answer_command(command, options,
                        [](const NgramOptions& given) { NgramsCommand(given).run(); });
}

}  // namespace outrider::calibrate
