#include "runtime/base/shipped_file.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(ShippedFile, IsInTheNearestFolderAboveTheProgramThatHasIt) {
  // Exists at the root of every build folder, including this test's.
  const std::filesystem::path found = shipped_file("CMakeCache.txt");
  EXPECT_TRUE(found.is_absolute()) << found;
  EXPECT_TRUE(std::filesystem::exists(found)) << found;
  EXPECT_EQ(shipped_file("no such/file"), "no such/file");
}

}  // namespace
}  // namespace outrider
