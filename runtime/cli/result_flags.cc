#include "runtime/cli/result_flags.h"

#include "runtime/cli/read_files.h"

namespace outrider::cli {

void declare_results_flag(CommandOptions& command, std::string& artifacts) {
  command
      .add_option(
          "--artifacts", artifacts,
          "Artifact file to write to; only this command's results in it change (default: a file of "
          "this command's own in checkpoints/, or in the folder that is named here)")
      .type_name("FILE")
      .reads(artifacts_at)
      .updates(updated_at)
      .brief("File to write to (default: one in checkpoints/)");
}

}  // namespace outrider::cli
