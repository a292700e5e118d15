#include "calibrate/studies/ngrammys_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "calibrate/answers/journal_of.h"
#include "calibrate/ngrammys/grid_search.h"
#include "calibrate/studies/study_plans.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

constexpr int kBlock = 512;  // tokens of an entry in the journal
constexpr const char* kCommand = "calibrate ngrammys";

/// The tokens per pass of each, as NgramTables::tokens_per_pass.
std::map<std::string, double> rates_of(const std::vector<UnigramTrial>& unigrams,
                                       const std::vector<BigramTrial>& bigrams) {
  std::map<std::string, double> rates;
  for (const UnigramTrial& trial : unigrams)
    rates[std::string("unigram_") + name_of(trial.measure)] = trial.replay.tokens_per_pass();
  for (const BigramTrial& trial : bigrams)
    rates["bigram_" + trial.context] = trial.replay.tokens_per_pass();
  return rates;
}

/// One call of find_ngrammys.
class NgramsRun {
 public:
  NgramsRun(inference::Target& target, const NgrammysStudy& study, Watch& watch)
      : target_(target),
        study_(study),
        watch_(watch),
        identity_(artifacts::identity_of(target.model())) {
    if (study.top > identity_.vocab)
      throw InputError(fmt::format("--keep-top: found {}, expected at most {}, the vocabulary",
                                   study.top, identity_.vocab));
    if (study.context == kInChat && opening().empty())
      throw InputError("--context chat: the model has no chat format with marked turns");
  }

  FoundNgrammys run() {
    const StudyFiles& files = study_.files;
    check_trials_files(files, identity_, target_.engine().place().name, "ngrammys");
    share_ = files.share(watch_);
    std::vector<BigramTrial> bigrams;
    for (const std::string& context : contexts())
      bigrams.push_back({context, begun_bigrams(context), {}});
    made_ = find_answers(target_, study_.answers, files.artifact, "ngrammys-answers", watch_,
                         [&](const WorkAhead& ahead) { announce(ahead, bigrams); });
    const std::vector<Answer>& answers = made_.all;
    fill(bigrams);
    if (std::all_of(answers.begin(), answers.end(),
                    [](const Answer& answer) { return answer.made() < 2; }))
      throw InputError("calibrate ngrammys: expected answers of two tokens at least to choose by");
    std::vector<UnigramTrial> unigrams =
        try_unigrams(target_.model(), answers, std::min(kTrialDrafts, identity_.vocab));
    try_bigrams(bigrams, answers);
    const auto tables = chosen_tables(unigrams, bigrams);
    std::optional<ExtensionTrial> extension;
    if (study_.extend == kByModel) extension = extend(*tables, best_of(bigrams).table, answers);
    files.write(identity_, artifacts::kNgrammys, made_by(),
                [&](hdf5::Writer& file, const std::string& group) {
                  artifacts::write_ngrammys(*tables, file, group);
                });
    NgrammysFigures figures = {draft_curves(answers, tables), draft_uses(answers, tables)};
    files.write_beside(identity_, kNgrammysFigures, made_by(),
                       [&](hdf5::Writer& file, const std::string& group) {
                         write_ngrammys_figures(figures, file, group);
                       });
    StudyTrials shapes = try_shapes(tables);
    for (data::Journal& journal : journals_) journal.remove();
    if (made_.made) made_.made->remove();
    return {std::move(unigrams), std::move(bigrams), std::move(extension), tables,
            std::move(figures),  std::move(shapes)};
  }

 private:
  MadeBy made_by() const {
    return {kCommand, target_.engine().place(), made_.seed, made_.identity};
  }

  /// The chat format's text before an answer; nothing where it has no marks.
  std::vector<Token> opening() const {
    if (target_.chat().end_of_turn().empty()) return {};
    text::PromptText before;
    before.mark(target_.chat().before_answer());
    return target_.tokenizer().encode_opening(before);
  }

  std::vector<std::string> contexts() const {
    if (study_.context != kBest) return {study_.context};
    if (opening().empty()) return {kAlone};
    return {kAlone, kInChat};
  }

  /// @param bigrams  whose tables have the rows of earlier runs
  void announce(const WorkAhead& ahead, const std::vector<BigramTrial>& bigrams) {
    std::vector<PlannedPart> parts = making_part(ahead);
    for (std::size_t i = 0; i < bigrams.size(); ++i)
      for (PlannedPart& part : bigram_parts(target_.engine(), bigrams[i].table, study_.batch,
                                            tokens_of(firsts_left(journals_[i]))))
        parts.push_back(std::move(part));
    const auto is_part = [](const data::Journal& journal) { return journal.is_part(); };
    if (std::none_of(journals_.begin(), journals_.end(), is_part))
      parts.push_back(ngram_settings_part(ahead, identity_.vocab, study_.top));
    watch_.plan(parts);
  }

  /// A table with the rows that earlier runs found.
  BigramTable begun_bigrams(const std::string& context) {
    BigramTable table;
    if (context == kInChat) table.before = opening();
    table.top = study_.top;
    journals_.push_back(
        journal_of(study_.files.artifact, "bigrams_" + context, target_, {},
                   fmt::format("top {}, quantise {}, blocks of {}, after {}", study_.top,
                               target_.options().engine.quantise ? "q8_0" : "none", kBlock,
                               fmt::join(table.before, " ")),
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
    const Stopwatch time;
    const std::size_t kept = journal.kept().size();
    if (kept > 0)
      watch_.inform(fmt::format("continuing after {} blocks of {} tokens", kept, kBlock));
    const std::vector<Token> firsts = firsts_left(journal);
    std::int64_t done = 0;
    watch_.begin(table.before.empty() ? "tokens" : "tokens of an answer", tokens_of(firsts));
    for (const Token first : firsts) {
      BigramTable block = {table.before, table.top, first, {}, {}};
      const Token end = end_of(first);
      const bool whole = fill_bigram_table(target_.engine(), study_.batch, end, block, [&] {
        watch_.show(done + block.rows());
        return !watch_.interrupted();
      });
      if (!whole) throw Interrupted();
      done += block.rows();
      const data::Journal::Entry rows = numbers_of(block);
      journal.append(rows);
      if (!journal.is_part()) append_rows(rows, table);
    }
    watch_.end();
    watch_.inform(
        fmt::format("{} next tokens of each of {}, in {:.1f} s", table.top, done, time.seconds()));
  }

  /// @throws Interrupted; the next run starts it over
  ExtensionTrial extend(draft::NgramTables& tables, const BigramTable& bigrams,
                        const std::vector<Answer>& answers) {
    ExtensionTrial trial;
    trial.extension.rows = std::min(study_.extend_drafts, bigrams.top);
    trial.extension.length = study_.extend_length - 1;
    watch_.begin("tokens extended", identity_.vocab);
    const bool whole =
        extend_greedily(target_.engine(), bigrams, study_.batch, trial.extension, [&] {
          watch_.show(trial.extension.tokens_done());
          return !watch_.interrupted();
        });
    if (!whole) throw Interrupted();
    watch_.end();
    try_extension(trial, bigrams, answers);
    tables.extended_rows = trial.extension.rows;
    tables.extended_length = trial.extension.length;
    tables.extended = trial.extension.next;
    return trial;
  }

  /// Replays the answers with drafts of every number and length, and writes what that gives.
  StudyTrials try_shapes(const draft::TablesPtr& tables) {
    std::map<double, std::vector<Answer>> by_temperature;
    for (const Answer& answer : made_.all) by_temperature[answer.temperature()].push_back(answer);
    const int context = usual_context(target_.engine(), made_.all);
    const int most = grid_drafts(tables->top).back() * grid_draft_lengths().back();
    StudyTrials found = {
        {"", context, kGridNames, {}},
        {},
        pass_costs(target_.engine(), study_.files.known(identity_, watch_), 1 + most, context)};
    found.drafting = without_passes(target_.engine(), found.costs);
    const auto settings =
        static_cast<std::int64_t>(grid_drafts(tables->top).size() * grid_draft_lengths().size());
    std::int64_t before = 0;
    watch_.begin("settings replayed", settings * std::ssize(by_temperature));
    for (const auto& [temperature, answers] : by_temperature) {
      cost::TemperatureTrials tried = search_grid(answers, tables, [&](int done) {
        watch_.show(before + done);
        return !watch_.interrupted();
      });
      if (tried.positions > 0) found.trials.by_temperature.push_back(std::move(tried));
      before += settings;
    }
    watch_.end();
    write_trials(study_.files, identity_, made_by(), {{"ngrammys", found.trials}}, found.drafting);
    return found;
  }

  std::shared_ptr<draft::NgramTables> chosen_tables(const std::vector<UnigramTrial>& unigrams,
                                                    const std::vector<BigramTrial>& bigrams) const {
    const auto asked = std::find_if(unigrams.begin(), unigrams.end(), [&](const auto& trial) {
      return name_of(trial.measure) == study_.unigram;
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

  inference::Target& target_;
  const NgrammysStudy& study_;
  Watch& watch_;
  artifacts::TargetIdentity identity_;
  WorkShare share_;
  Answers made_;  // that tables are chosen by
  std::vector<data::Journal>
      journals_;  // of the bigram tables, next to the artifact file until that is written
};

}  // namespace

FoundNgrammys find_ngrammys(inference::Target& target, const NgrammysStudy& study, Watch& watch) {
  return NgramsRun(target, study, watch).run();
}

}  // namespace outrider::calibrate
