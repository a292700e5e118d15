#include <unistd.h>

#include <cstdio>

#include "runtime/cli/command_line.h"
#include "train/commands/commands.h"

int main(int argc, char** argv) {
  using namespace outrider::train;
  const int code =
      outrider::cli::run_tool("train", "Train drafters of a model from its traces.",
                              {add_draft, add_parallelspec, add_disco, add_inspect}, argc, argv);
  // Files are closed by now. LibTorch would take back its operators one by one, for a tenth of a second.
  std::fflush(nullptr);
  _exit(code);
}
