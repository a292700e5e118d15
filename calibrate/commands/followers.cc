#include <fmt/core.h>

#include <memory>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/studies/followers_study.h"
#include "data/store/context_length.h"
#include "data/store/manifest.h"
#include "runtime/artifacts/followers_group.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kFollowersExamples =
    "Drafters of one pass compute the logits of all depths independently of each other's tokens. "
    "Counts of pairs\n"
    "of tokens in the target's answers correct that: parallelspec-* and medusa-heads add them to a "
    "depth's logits\n"
    "(--follow-weight of runtime decode). Tokens in loops do not count. An interrupted run "
    "continues "
    "when the same\n"
    "command is given again.\n\n"
    "Examples:\n"
    "  calibrate followers -m MODEL.gguf --data traces\n"
    "  calibrate followers -m MODEL.gguf --data traces-greedy traces-sampled --least-count 5\n";

struct FollowersOptions {
  std::string model;
  int context = 0;  // 0: that of the first traces
  FollowersStudy study;
  ResultOptions result;
  bool quiet = false;
};

void run_followers(FollowersOptions& options) {
  cli::ShownWatch watch("calibrate followers", options.result.limit, options.quiet);
  const model::Model model = model::load_for_context(options.model, options.context,
                                                     data::context_length(options.study.data));
  options.study.files = study_files(options.result, model, artifacts::kFollowers);
  watch.listen();
  const CountedFollowers found = count_followers(model, options.study, watch);
  watch.inform(
      fmt::format("{} tokens; {} pairs of at least {} occurrences, {:.1f} % of all; written to {}",
                  found.tokens, found.pairs, options.study.least_count, 100 * found.share,
                  options.study.files.artifact.string()));
}

}  // namespace

cli::Command add_followers(CLI::App& program) {
  auto options = std::make_shared<FollowersOptions>();
  cli::CommandOptions command(
      program, "followers",
      "Count pairs of tokens in the target's answers, for drafters of one pass");
  command.footer(kFollowersExamples);
  cli::declare_model_flags(command, options->model, options->context);
  command.add_list("--data", options->study.data, "Folders of the model's traces")
      .type_name("DIR")
      .reads(data::store_at)
      .required();
  command
      .add_option("--least-count", options->study.least_count,
                  "Pairs that occur less often are left out")
      .check(cli::whole_number(1, 1 << 20));
  declare_result_flags(command, options->result);
  cli::declare_minutes_flag(command, options->result.minutes);
  command.add_flag("--quiet", options->quiet, "No figures on standard error");
  return result_command(command, options, run_followers);
}

}  // namespace outrider::calibrate
