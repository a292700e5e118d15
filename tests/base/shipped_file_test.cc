#include "runtime/base/shipped_file.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(ShippedFile, IsInTheNearestFolderAboveTheProgramThatHasIt) {
  // At the root of every build, this test's own among them.
  const std::filesystem::path found = shipped_file("CMakeCache.txt");
  EXPECT_TRUE(found.is_absolute()) << found;
  EXPECT_TRUE(std::filesystem::exists(found)) << found;
  EXPECT_EQ(shipped_file("no such/file"), "no such/file");
}

}  // namespace
}  // namespace outrider
