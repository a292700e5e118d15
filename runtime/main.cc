#include "runtime/cli/command_line.h"
#include "runtime/commands/commands.h"

int main(int argc, char** argv) {
  return outrider::cli::run_tool(
      "runtime", "Decode with a language model, faster and exactly.",
      {outrider::add_decode, outrider::add_serve, outrider::add_certify, outrider::add_bench,
       outrider::add_inspect, outrider::add_tokenize, outrider::add_export},
      argc, argv,
      {{"bench", "--grid", "calibrate"},
       {"bench", "--stops", "calibrate"},
       {"stops", "", "calibrate"},
       {"quality", "", "calibrate"},
       {"attribute", "", "calibrate"}});
}
