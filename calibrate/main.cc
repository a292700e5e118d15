#include "runtime/base/command_line.h"

int main(int argc, char** argv) {
  return outrider::run_tool(
      "calibrate", "Find out what makes a model's drafts good on this machine.", {}, argc, argv);
}
