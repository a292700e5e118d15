#include "runtime/base/text_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "runtime/base/error.h"

namespace outrider {
namespace {

TEST(TextFile, ReadsBytesAsTheyAreUpToTheLimit) {
  const std::string path = testing::TempDir() + "/text_file_test";
  const std::string bytes("a\0\r\n\xff", 5);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_text_file(path, 5), bytes);
  EXPECT_THROW(read_text_file(path, 4), InputError);
}

TEST(TextFile, StopsAtTheLimitOfAnEndlessFile) {
  EXPECT_THROW(read_text_file("/dev/zero", 1 << 20), InputError);
}

}  // namespace
}  // namespace outrider
