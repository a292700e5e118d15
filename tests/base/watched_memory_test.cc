#include "runtime/base/watched_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

/// Reads a mapped file after it was cut.
void read_after_cut(bool watched) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << std::string(1 << 16, 'x');
  const int file = ::open(path.c_str(), O_RDONLY);
  void* const start = ::mmap(nullptr, 1 << 16, PROT_READ, MAP_PRIVATE, file, 0);
  const std::span bytes(static_cast<const std::byte*>(start), 1 << 16);
  std::optional<WatchedMemory> memory(std::in_place, bytes, path.string());
  if (!watched) memory.reset();
  report_lost_memory("runtime");
  std::filesystem::resize_file(path, 100);
  const volatile std::byte* last = &bytes.back();
  ::_exit(static_cast<int>(*last));
}

TEST(WatchedMemory, OfAFileThatWasCutEndsTheProgramWithASentence) {
  EXPECT_EXIT(read_after_cut(true), testing::ExitedWithCode(2),
              "runtime: .*/file: was cut or replaced while it was read .*; start again");
}

TEST(WatchedMemory, IsForgottenWithTheFile) {
  EXPECT_EXIT(read_after_cut(false), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace outrider
