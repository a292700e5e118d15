// Any bytes as a configuration file: refused with an InputError, or values that are the same after writing
// them like --print-config and reading them again.

#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/config_file.h"

namespace {

using namespace outrider;

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzzed.toml", 0)) {
    if (descriptor_ < 0) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const void* data, std::size_t size) const {
    if (::ftruncate(descriptor_, 0) != 0) std::abort();
    if (::pwrite(descriptor_, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  }

 private:
  int descriptor_;
};

/// A command with one option of every kind.
struct Demo {
  Demo() {
    command.add_option("--text", text, "");
    command.add_option("--system", system, "");
    command.add_list("--stop", stops, "");
    command.add_option("--count", count, "").check(cli::whole_number(1, 100));
    command.add_option("--heat", heat, "").check(cli::real_number(0, 2));
    command.add_flag("--quiet", quiet, "");
  }
  std::string read(const std::string& path) {
    return cli::config_text(
        command.app(), command.help_notes(),
        cli::apply_config(command.app(), path, {{"demo", "demo"}, {"other", "other"}}));
  }

  CLI::App app{"", "tool"};
  cli::CommandOptions command{app, "demo", ""};
  std::string text = "x";
  std::optional<std::string> system;
  std::vector<std::string> stops;
  int count = 3;
  double heat = 0.5;
  bool quiet = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.write(data, size);
  std::string written;
  try {
    written = Demo().read(file.path());
  } catch (const InputError&) {
    return 0;
  }
  file.write(written.data(), written.size());
  if (Demo().read(file.path()) != written) std::abort();  // our own text must not be refused
  return 0;
}
