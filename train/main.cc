#include "runtime/cli/command_line.h"
#include "train/commands/commands.h"

int main(int argc, char** argv) {
  using namespace outrider::train;
  return outrider::cli::run_tool("train", "Train drafters of a model from its traces.",
                                 {add_draft, add_parallelspec, add_disco, add_inspect}, argc, argv);
}
