#include "calibrate/cli/drafter_command.h"

#include <fmt/core.h>

#include "runtime/cli/draft_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/result_flags.h"

namespace outrider::calibrate {

void declare_drafter_flags(cli::CommandOptions& command, DrafterOptions& options,
                           const std::string& of_head) {
  DrafterStudyOptions& study = options.study;
  declare_model_flags(command, options.target.model, options.target.context);
  declare_template_flags(command, options.target);
  command.add_option("--data", study.data, "Traces of the model")
      .type_name("FOLDER")
      .reads(data::store_at)
      .required();
  cli::Option draft =
      of_head.empty()
          ? cli::declare_draft_flags(command, study.draft, study.draft_vocab,
                                     "what is found is used where decoding is given the same")
          : command.add_option("--draft", study.draft, of_head)
                .type_name("FILE")
                .reads(cli::drafter_at);
  draft.brief("Another draft model than that of the artifacts");
  command
      .add_option(
          "--draft-threads", study.draft_threads,
          "Threads of the draft model: 1, or as many as the target has (default: the faster)")
      .check(cli::whole_number(1, engine::kMostThreads))
      .rare();
  command.add_option("--limit", study.limit, "Number of texts, from the first; 0: all")
      .check(cli::whole_number(0, 1'000'000'000));
  cli::declare_results_flag(command, options.files.artifacts);
  declare_shard_flag(command, options, [] { return true; });
}

void declare_positions_flag(cli::CommandOptions& command, int& positions,
                            const std::string& recorded) {
  command
      .add_option("--positions", positions,
                  fmt::format("Positions of each temperature's texts, about, where {} are "
                              "recorded, in stretches of as many for each text; 0: all",
                              recorded))
      .check(cli::whole_number(0, 1'000'000'000))
      .rare();
}

void declare_drafter_output(cli::CommandOptions& command, DrafterOptions& options) {
  declare_machine_flags(command, options.target.engine);
  declare_report_flags(command, options, "results");
}

}  // namespace outrider::calibrate
