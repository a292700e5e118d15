#include "data/commands/commands.h"
#include "runtime/cli/command_line.h"

int main(int argc, char** argv) {
  using namespace outrider::data;
  return outrider::cli::run_tool(
      "data", "Record and manage traces of a language model.",
      {add_traces, add_inspect, add_verify, add_merge, add_export, add_split, add_prompts}, argc,
      argv);
}
