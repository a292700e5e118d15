#include "tests/programs/shell.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

// Waits until a file holds a text so many times, a minute at most: a busy machine makes a test slow,
// not wrong.
constexpr const char* kWaitFor = R"sh(
wait_for() {  # FILE TEXT TIMES
  for _ in $(seq 1200); do
    [ "$(grep -aoF -e "$2" "$1" 2> /dev/null | wc -l)" -ge "$3" ] && return
    sleep 0.05
  done
}
)sh";

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Shell::Shell() {
  TinyShape shape;
  shape.head_width = 32;  // the least that the engine takes
  write_tiny_llama(folder_.path(), "tiny.gguf", shape, 7, model::WeightType::kQ8_0);
  shape.context = 200'000;
  write_tiny_llama(folder_.path(), "endless.gguf", shape, 7, model::WeightType::kQ8_0);
}

bool Shell::has_train() { return OUTRIDER_TRAIN[0] != '\0'; }

Outcome Shell::run(const std::string& command) const {
  // Nothing is read from the user's cache or written there.
  static const TemporaryFolder cache;
  // OMP_WAIT_POLICY: tests run side by side, where OpenMP threads that wait by spinning make a training step of
  // milliseconds take seconds. A file, so that the command needs no quoting of its own.
  write("command",
        fmt::format("runtime='{}'; data='{}'; calibrate='{}'; train='{}'; "
                    "export XDG_CACHE_HOME='{}' OMP_WAIT_POLICY=passive; "
                    "tiny=tiny.gguf; endless=endless.gguf; "
                    "real='{}'; source='{}'\n{}{}\n",
                    OUTRIDER_RUNTIME, OUTRIDER_DATA, OUTRIDER_CALIBRATE, OUTRIDER_TRAIN,
                    cache.path().string(), default_model(), source_path(""), kWaitFor, command));
  const std::string line =
      fmt::format("cd '{}' && exec bash command < /dev/null > out 2> err", folder_.path().string());
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("out"),
          read("err")};
}

void Shell::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(folder_.path() / name, std::ios::binary) << bytes;
}

void Shell::write_wrapper(const std::string& name, const std::string& program,
                          const std::string& change) const {
  std::filesystem::create_directories((path() / name).parent_path());
  write("wrapper", change + "\nexec \"$program\" \"$@\"\n");
  const Outcome made = run(fmt::format(
      "{{ echo '#!/bin/bash'; echo \"program=${}\"; cat wrapper; }} > {} && chmod +x {}", program,
      name, name));
  EXPECT_EQ(made.status, 0) << made.err;
}

std::string Shell::read(const std::string& name) const { return read_whole(folder_.path() / name); }

}  // namespace outrider::test
