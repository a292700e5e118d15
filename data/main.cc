#include "data/commands/traces.h"
#include "runtime/base/command_line.h"

int main(int argc, char** argv) {
  using namespace outrider::data;
  return outrider::run_tool("data", "Make and look after traces of a language model.", {add_traces},
                            argc, argv);
}
