#include "runtime/base/file_lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>

#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

TEST(FileLock, TellsWhetherTheFileIsNew) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock";
  EXPECT_TRUE(FileLock(path).is_new());
  EXPECT_FALSE(FileLock(path).is_new());
  FileLock(path).remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Two that wait for a removed file would both hold it, and with it a file that nobody else can lock.
TEST(FileLock, WaitersLockAnotherFileIfTheirsIsRemoved) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock";
  auto held = std::make_unique<FileLock>(path);
  auto waiter = std::async(std::launch::async, [&] { return std::make_unique<FileLock>(path); });
  EXPECT_EQ(waiter.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  held->remove();
  held.reset();
  const auto next = waiter.get();
  EXPECT_TRUE(next->is_new());
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace outrider
