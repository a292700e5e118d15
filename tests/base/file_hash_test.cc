#include "runtime/base/file_hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <span>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

class FileHash : public testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }
  static std::string with_checksum(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    std::vector<std::byte> file(bytes.begin(), bytes.end());
    append_checksum(file);
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "mine.h5";
};

TEST_F(FileHash, IsOfTheFirstBytesOrAll) {
  std::string text(3'000'000, 'a');
  text += "the end";
  write(text);
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(file_hash(path_), hash_hex(bytes));
  EXPECT_EQ(file_hash(path_, 2'000'001), hash_hex(bytes.first(2'000'001)));
  EXPECT_EQ(file_hash(path_, 0), hash_hex({}));
  EXPECT_THROW(file_hash(folder_.path() / "none"), InputError);
}

TEST_F(FileHash, AChecksumIsALineAfterTheBytes) {
  const std::string file = with_checksum("some bytes");
  EXPECT_EQ(file.size(), std::string("some bytes").size() + kChecksumLineBytes);
  EXPECT_TRUE(file.starts_with("some bytes\noutrider: xxh3-128"));
  EXPECT_EQ(file.back(), '\n');
  write(file);
  EXPECT_TRUE(verify_checksum(path_));
}

TEST_F(FileHash, AFileWithoutAChecksumPasses) {
  for (const std::string& text : {std::string(), std::string("short"), std::string(200, 'x')}) {
    write(text);
    EXPECT_FALSE(verify_checksum(path_));
  }
}

TEST_F(FileHash, ChangedBytesAreRefused) {
  const std::string sound = with_checksum("some bytes");
  for (const std::size_t at : {0U, 5U, 9U, 90U}) {  // the last is in the hash itself
    std::string damaged = sound;
    damaged[at] ^= 1;
    write(damaged);
    test::expect_input_error([&] { verify_checksum(path_); }, "mine.h5", "damaged", "make it anew");
  }
  write("more " + sound);
  EXPECT_THROW(verify_checksum(path_), InputError);
}

}  // namespace
}  // namespace outrider
