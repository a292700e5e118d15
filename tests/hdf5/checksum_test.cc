#include "runtime/hdf5/checksum.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::hdf5 {
namespace {

class Checksum : public testing::Test {
 protected:
  void write(const std::vector<std::byte>& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  static std::vector<std::byte> some_file() {
    Writer writer;
    writer.add_text("/words", "one two");
    return writer.finish();
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "mine.h5";
};

TEST_F(Checksum, IsABlockBeforeTheFileThatHdf5PassesOver) {
  std::vector<std::byte> file = some_file();
  const std::vector<std::byte> plain = file;
  add_checksum(file);
  ASSERT_EQ(file.size(), plain.size() + kChecksumBytes);
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), file.begin() + kChecksumBytes));
  write(file);
  EXPECT_TRUE(verify_checksum(path_));
  EXPECT_TRUE(looks_like_hdf5(path_));
  EXPECT_EQ(Reader(path_).read_text("/words", 99), "one two");
}

TEST_F(Checksum, IsNotAskedOfShards) {
  write(some_file());
  EXPECT_FALSE(verify_checksum(path_));
  EXPECT_TRUE(looks_like_hdf5(path_));
  EXPECT_EQ(Reader(path_).read_text("/words", 99), "one two");
}

TEST_F(Checksum, ChangedFilesAreRefused) {
  std::vector<std::byte> sound = some_file();
  add_checksum(sound);
  for (const std::size_t at : {std::size_t{50}, std::size_t{300}, sound.size() - 1}) {
    std::vector<std::byte> damaged = sound;
    damaged[at] ^= std::byte{1};
    write(damaged);
    EXPECT_THROW(verify_checksum(path_), DamagedFile) << at;
  }
  std::vector<std::byte> other = sound;
  other[0] = std::byte{'O'};
  write(other);
  test::expect_input_error([&] { verify_checksum(path_); }, "mine.h5", "is not an HDF5 file");
  EXPECT_FALSE(looks_like_hdf5(path_));
  EXPECT_FALSE(looks_like_hdf5(folder_.path()));
}

}  // namespace
}  // namespace outrider::hdf5
