#include "tests/device_check/program_output.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>

namespace outrider::device_check {

ProgramOutput output_of(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("a program cannot be started");
  ProgramOutput output;
  char some[4096];
  while (const std::size_t count = std::fread(some, 1, sizeof some, pipe))
    output.text.append(some, count);
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string driver_and_clocks(int card) {
  const ProgramOutput said = output_of(fmt::format(
      "nvidia-smi -i {} --query-gpu=driver_version,clocks.max.sm,clocks.max.mem,power.limit "
      "--format=csv,noheader",
      card));
  if (said.status != 0) return "";
  return "driver " + said.text.substr(0, said.text.find('\n'));
}

}  // namespace outrider::device_check
