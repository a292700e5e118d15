#include <fmt/core.h>

#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/studies/pair_counts_study.h"
#include "data/store/context_length.h"
#include "data/store/manifest.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/result_flags.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

struct PairCountsOptions : StudyFlags {
  std::string model;
  int context = 0;  // 0: that of the first traces
  PairCountsStudy study;
};

void run_pair_counts(PairCountsOptions& options, Watch& watch) {
  PairCountsStudy& study = options.study;
  const model::Model model =
      model::load_for_context(options.model, options.context, data::context_length(study.data));
  study.files = options.files.of_group(artifacts::identity_of(model), artifacts::kPairCounts);
  watch.listen();
  const CountedPairs found = count_pairs(model, study, watch);
  watch.inform(
      fmt::format("{} tokens; {} pairs of at least {} occurrences, {:.1f} % of all; written to {}",
                  found.tokens, found.pairs, study.least_count, 100 * found.share,
                  study.files.artifact.string()));
}

}  // namespace

cli::Command add_pair_counts(CLI::App& program) {
  auto options = std::make_shared<PairCountsOptions>();
  cli::CommandOptions command(
      program, "pair-counts",
      "Count pairs of tokens in the target's answers, for drafters of one pass");
  command.formerly("followers");
  command.footer(
      "Drafters of one pass compute the logits of all depths independently of each other's tokens. "
      "Counts of pairs of tokens in the target's answers correct that: parallelspec-* and "
      "medusa-heads add them to a depth's logits (--follow-weight of runtime decode). Tokens in "
      "loops do not count. An interrupted run continues when the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate pair-counts -m MODEL.gguf --data traces\n"
      "  calibrate pair-counts -m MODEL.gguf --data traces-greedy traces-sampled --least-count "
      "5\n");
  cli::declare_model_flags(command, options->model, options->context);
  command.add_list("--data", options->study.data, "Folders of the model's traces")
      .type_name("DIR")
      .reads(data::store_at)
      .required();
  command
      .add_option("--least-count", options->study.least_count,
                  "Pairs that occur less often are left out")
      .check(cli::whole_number(1, 1 << 20));
  cli::declare_results_flag(command, options->files.artifacts);
  declare_end_flags(command, *options, "figures");
  return study_command(command, options, run_pair_counts);
}

}  // namespace outrider::calibrate
