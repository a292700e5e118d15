#include "calibrate/commands/ngrams.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibrate/commands/ngram_grid.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/ngrams/bigram_part.h"
#include "calibrate/ngrams/unigram_trial.h"
#include "runtime/artifacts/ngram_tables.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"
#include "runtime/base/sheet.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "What is chosen is chosen by replaying answers of the model. A run that was broken off goes "
    "on\n"
    "where it was when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate ngrams -m MODEL.gguf\n"
    "  calibrate ngrams -m MODEL.gguf --unigram inner --artifacts mine.h5\n"
    "  runtime decode -m MODEL.gguf --method ngrammys --artifacts mine.h5 -p 'Why is the sky "
    "blue?'\n";

constexpr const char* kBest = "best";
constexpr double kSecondsBetweenSaves = 15;
constexpr int kUnigramDrafts = 10;  // while rankings are compared

struct NgramOptions {
  AnswerOptions answers;
  int top = 32;
  std::string unigram = kBest;
  int batch = 128;
  ResultOptions result;

  NgramOptions() { answers.samples = 2; }
};

/// One call of `calibrate ngrams`.
class NgramsCommand {
 public:
  explicit NgramsCommand(const NgramOptions& options)
      : options_(options),
        target_(options.answers.decode),
        identity_(artifacts::identity_of(target_.model())) {
    if (options.top > identity_.vocab)
      throw InputError(fmt::format("--keep-top: found {}, expected at most {}, the vocabulary",
                                   options.top, identity_.vocab));
  }

  void run() {
    catch_interrupts();
    const engine::Engine& engine = target_.engine();
    BigramPart part(result_file(options_.result, identity_), identity_,
                    fmt::format("top {}, {}, quantise {}", options_.top, engine.numerics_name(),
                                options_.answers.decode.engine.quantise));
    const Stopwatch watch;
    const BigramTable bigrams = make_bigrams(part);
    say(fmt::format("{} next tokens of each of {}, in {:.1f} s", bigrams.top, bigrams.rows(),
                    watch.seconds()));
    part.save(bigrams);  // what follows may be broken off too
    const Answers answers = find_answers(target_, options_.answers);
    if (std::all_of(answers.all.begin(), answers.all.end(),
                    [](const Answer& answer) { return answer.made() < 2; }))
      throw InputError("calibrate ngrams: expected answers of two tokens at least to choose by");
    const auto trials =
        try_unigrams(target_.model(), answers.all, std::min(kUnigramDrafts, identity_.vocab));
    const UnigramTrial& unigrams = chosen(trials);
    report(trials, unigrams);

    const auto tables = std::make_shared<artifacts::NgramTables>();
    tables->unigram = unigrams.ranking;
    tables->unigram_measure = name_of(unigrams.measure);
    tables->top = bigrams.top;
    tables->next = bigrams.next;
    tables->log_probs = bigrams.log_probs;
    tables->numerics = engine.numerics_name();
    const auto path =
        write_result(options_.result, identity_, artifacts::kNgramGroup, "calibrate ngrams",
                     static_cast<std::uint64_t>(options_.answers.decode.sampler.seed),
                     answers.identity, [&](artifacts::Hdf5Writer& file, const std::string& group) {
                       write_ngram_tables(*tables, file, group);
                     });
    part.remove();
    write_output(calibrate_grid(target_, options_.answers, answers, tables, options_.result));
    say(fmt::format("written to {}", path.string()));
  }

 private:
  void say(const std::string& line) const {
    if (!quiet()) fmt::print(stderr, "{}\n", line);
  }
  bool quiet() const { return options_.answers.decode.quiet; }

  const UnigramTrial& chosen(const std::vector<UnigramTrial>& trials) const {
    for (const UnigramTrial& trial : trials)
      if (name_of(trial.measure) == options_.unigram) return trial;
    return best_of(trials);
  }

  void report(const std::vector<UnigramTrial>& trials, const UnigramTrial& chosen) const {
    std::string text = fmt::format("unigrams   accepted of {:<5} tokens per pass   the likeliest\n",
                                   trials[0].replay.drafted);
    for (const UnigramTrial& trial : trials) {
      text += fmt::format("{:<10} {:<17} {:<17.3f}", name_of(trial.measure), trial.replay.accepted,
                          trial.replay.tokens_per_pass());
      for (std::size_t i = 0; i < std::min<std::size_t>(8, trial.ranking.size()); ++i)
        text += fmt::format(" {}", quoted(trial.ranking[i]));
      text += '\n';
    }
    write_output(text + fmt::format("chosen: {}\n", name_of(chosen.measure)));
  }

  std::string quoted(Token token) const {
    return printable(fmt::format("'{}'", target_.tokenizer().decode(std::span(&token, 1), true)));
  }

  /// @throws Interrupted when the user broke it off; what is done is kept
  BigramTable make_bigrams(const BigramPart& part) {
    BigramTable table = part.load(options_.top);
    const int before = table.rows();
    if (before > 0) say(fmt::format("going on behind {} tokens", before));
    Progress progress("tokens", identity_.vocab - before, quiet());
    Stopwatch since_save;
    const bool whole = fill_bigram_table(target_.engine(), options_.batch, table, [&] {
      progress.show(table.rows() - before);
      if (interrupted()) return false;
      if (since_save.seconds() > kSecondsBetweenSaves) {
        part.save(table);
        since_save = Stopwatch();
      }
      return true;
    });
    if (whole) return table;
    part.save(table);
    throw Interrupted();
  }

  const NgramOptions& options_;
  DecodeTarget target_;
  artifacts::TargetIdentity identity_;
};

}  // namespace

Command add_ngrams(CLI::App& program) {
  auto options = std::make_shared<NgramOptions>();
  CommandOptions command(program, "ngrams",
                         "Tables of next tokens, read off the model without any text");
  command.footer(kExamples);
  declare_answer_flags(command, options->answers);
  declare_result_flags(command, options->result);
  command.add_option("--keep-top", options->top, "Next tokens kept for every token")
      .check(whole_number(1, 256));
  command
      .add_option("--unigram", options->unigram,
                  "How tokens are ranked without a text: by the distance of their embeddings from "
                  "the mean, by the inner product with it, or by what is accepted more")
      .check(one_of({kBest, "distance", "inner"}));
  command.add_option("--batch", options->batch, "Tokens in one pass; changes the speed only")
      .check(whole_number(1, 512));
  return result_command(command, options,
                        [](const NgramOptions& given) { NgramsCommand(given).run(); });
}

}  // namespace outrider::calibrate
