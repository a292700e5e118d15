#include "calibrate/cli/answer_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/ngrammys_report.h"
#include "runtime/artifacts/ngrammys_group.h"

namespace outrider::calibrate {
namespace {

struct NgrammysOptions : AnswerOptions {
  NgrammysStudy study;
};

void run_ngrammys(NgrammysOptions& options, Watch& watch) {
  run_answer_study(options, artifacts::kNgrammys, watch,
                   [&](auto& target, const auto& answers, const auto& files) -> Shown {
                     options.study.answers = answers;
                     options.study.files = files;
                     const FoundNgrammys found = find_ngrammys(target, options.study, watch);
                     return {.text = found_ngrammys_text(found, target),
                             .plot = plot_of(found.figures)};
                   });
}

/// How tables are made and drafts go on, and what else `find_ngrammys` can be told.
void declare_table_flags(cli::CommandOptions& command, NgrammysStudy& study) {
  command.add_option("--keep-top", study.top, "Next tokens kept for every token")
      .check(cli::whole_number(1, 256));
  command
      .add_option("--unigram", study.unigram,
                  "How tokens are ranked without a text: by the distance of their embeddings from "
                  "the mean, by the inner product with it, or by the one accepted more often")
      .check(cli::one_of({kBest, "distance", "inner"}))
      .rare();
  command
      .add_option("--context", study.context,
                  "Tokens before that of a bigram: none, the start of an answer in the model's "
                  "chat format (chat), or the one accepted more often")
      .check(cli::one_of({kBest, kAlone, kInChat}))
      .rare();
  command
      .add_option(
          "--extend", study.extend,
          "How drafts of bigrams continue after their first token: with the table's likeliest next "
          "token (bigram), or with the model's greedy choices (model), which is slow")
      .check(cli::one_of({kByBigram, kByModel}))
      .rare();
  command.add_option("--extend-drafts", study.extend_drafts, "--extend model: number of drafts")
      .check(cli::whole_number(1, 32))
      .rare();
  command
      .add_option("--extend-length", study.extend_length,
                  "--extend model: tokens of each, including the first")
      .check(cli::whole_number(2, 14))
      .rare();
  command.refuse_unless(
      {"extend-drafts", "extend-length"}, [&study] { return study.extend == kByModel; },
      "only with --extend model");
  command.add_option("--batch", study.batch, "Tokens in one pass; changes the speed only")
      .check(cli::whole_number(1, 512))
      .rare();
}

}  // namespace

cli::Command add_ngrammys(CLI::App& program) {
  auto options = std::make_shared<NgrammysOptions>();
  options->samples = 2;
  cli::CommandOptions command(program, "ngrammys",
                              "Make tables of next tokens from the model without any text");
  command.formerly("ngrams");
  command.footer(
      "Tables are chosen by replaying answers of the model. An interrupted run continues on when "
      "the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate ngrammys -m MODEL.gguf\n"
      "  calibrate ngrammys -m MODEL.gguf --unigram inner --context none --artifacts mine.h5\n"
      "  runtime decode -m MODEL.gguf --method ngrammys --artifacts mine.h5 -p 'Why is the sky "
      "blue?'\n");
  declare_answer_flags(command, *options);
  declare_result_flags(command, *options);
  declare_table_flags(command, options->study);
  declare_plot_flag(
      command, *options,
      "tokens per pass against the number of drafts, and which drafts are kept, as SVG");
  return study_command(command, options, run_ngrammys);
}

}  // namespace outrider::calibrate
