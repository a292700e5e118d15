#include <fmt/core.h>

#include <filesystem>

#include "runtime/base/stopwatch.h"
#include "tests/device_check/check.h"
#include "tests/device_check/program_output.h"

namespace outrider::device_check {
namespace {

/// Where a toolkit puts it, if it is not among the programs that the shell finds.
std::string sanitizer() {
  const std::string usual = "/usr/local/cuda/bin/compute-sanitizer";
  return output_of("command -v compute-sanitizer").status == 0 || !std::filesystem::exists(usual)
             ? "compute-sanitizer"
             : usual;
}

}  // namespace

void run_sanitizers(Check& check) {
  const std::string program = sanitizer();
  if (check.settings.emulated || output_of(program + " --version").status != 0) {
    check.found["sanitizers"] = "skipped";
    return check.fail("sanitizers: skipped, since there is no compute-sanitizer here");
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const char* tool : {"memcheck", "racecheck", "synccheck", "initcheck"}) {
    const Stopwatch clock;
    const ProgramOutput said = output_of(fmt::format(
        "{} --tool {} --error-exitcode 9 {} --card {} --tiny --only golden choices drafts ahead limits "
        "certificate",
        program, tool, quoted(self), check.settings.card));
    check.found["sanitizers"].push_back({{"tool", tool},
                                         {"status", said.status},
                                         {"seconds", clock.seconds()},
                                         {"said", said.text.substr(0, 4000)}});
    if (said.status != 0)
      check.fail(fmt::format("{}: status {}\n{}", tool, said.status, said.text.substr(0, 1500)));
    else
      Check::say(fmt::format("{}: no errors, in {:.0f} s", tool, clock.seconds()));
  }
}

}  // namespace outrider::device_check
