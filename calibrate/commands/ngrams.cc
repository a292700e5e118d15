#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/ngrams_report.h"
#include "runtime/artifacts/ngrammys_group.h"

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

struct NgramOptions {
  AnswerOptions answers;
  NgramsStudy study;
  std::string plot;
  ResultOptions result;

  NgramOptions() { answers.samples = 2; }
};

void calibrate_ngrams(const NgramOptions& options) {
  show_study("calibrate ngrams", options.answers, options.result, artifacts::kNgrammys,
             options.plot,
             [&](inference::Target& target, const AnswerSource& answers, const StudyFiles& files,
                 Watch& watch) -> ShownStudy {
               NgramsStudy study = options.study;
               study.answers = answers;
               study.files = files;
               const FoundNgrams found = find_ngrams(target, study, watch);
               return {found_ngrams_text(found, target), plot_of(found.figures)};
             });
}

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
  command.add_option("--keep-top", options->study.top, "Next tokens kept for every token")
      .check(cli::whole_number(1, 256));
  command
      .add_option("--unigram", options->study.unigram,
                  "How tokens are ranked without a text: by the distance of their embeddings from "
                  "the mean, by the inner product with it, or by the one accepted more often")
      .check(cli::one_of({kBest, "distance", "inner"}))
      .rare();
  command
      .add_option("--context", options->study.context,
                  "Tokens before that of a bigram: none, the start of an answer in the "
                  "model's chat format (chat), or the one accepted more often")
      .check(cli::one_of({kBest, kAlone, kInChat}))
      .rare();
  command
      .add_option(
          "--extend", options->study.extend,
          "How drafts of bigrams continue after their first token: with the table's likeliest "
          "next token (bigram), or with the model's greedy choices (model), which is slow")
      .check(cli::one_of({kByBigram, kByModel}))
      .rare();
  command
      .add_option("--extend-drafts", options->study.extend_drafts,
                  "--extend model: number of drafts")
      .check(cli::whole_number(1, 32))
      .rare();
  command
      .add_option("--extend-length", options->study.extend_length,
                  "--extend model: tokens of each, including the first")
      .check(cli::whole_number(2, 14))
      .rare();
  command.refuse_unless(
      {"extend-drafts", "extend-length"}, [options] { return options->study.extend == kByModel; },
      "only with --extend model");
  command.add_option("--batch", options->study.batch, "Tokens in one pass; changes the speed only")
      .check(cli::whole_number(1, 512))
      .rare();
  command
      .add_option(
          "--plot", options->plot,
          "Also draw tokens per pass against the number of drafts, and which drafts are kept, as "
          "SVG")
      .type_name("FILE")
      .writes();
  return answer_command(command, options, calibrate_ngrams);
}

}  // namespace outrider::calibrate
