#include "runtime/base/command_line.h"

int main(int argc, char** argv) {
  return outrider::run_tool("runtime", "Decode with a language model, faster and exactly.", {},
                            argc, argv);
}
