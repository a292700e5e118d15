#include "runtime/base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/base/error.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() : folder_(fs::path(testing::TempDir()) / "atomic_file_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t num_files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, ReplacesTheOldFileOnlyWhenCommitted) {
  const fs::path path = folder_ / "out";
  write_file_atomically(path, "old");
  AtomicFile file(path);
  file.write("new ");
  file.write(std::string("\0bytes", 6));
  EXPECT_EQ(content(path), "old");
  file.commit();
  EXPECT_EQ(content(path), std::string("new \0bytes", 10));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, LeavesTheOldFileAndNoOtherWhenAbandoned) {
  const fs::path path = folder_ / "out";
  write_file_atomically(path, "old");
  { AtomicFile(path).write("half of the new"); }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, NamesTheFileAndTheReasonWhenItCannotBeWritten) {
  const auto message = [](const fs::path& path) -> std::string {
    try {
      write_file_atomically(path, "x");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const fs::path absent = folder_ / "absent" / "out";
  EXPECT_EQ(message(absent), absent.string() + ": cannot create: No such file or directory");
  fs::create_directories(folder_ / "folder" / "inside");
  const fs::path folder = folder_ / "folder";
  EXPECT_EQ(message(folder), folder.string() + ": cannot replace: Is a directory");
  EXPECT_EQ(num_files(), 1);
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(message(pipe), pipe.string() + ": cannot replace: Invalid argument");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AtomicFileTest, HasATemporaryFileForNamesOfAnyLength) {
  for (const std::size_t length : {240U, 250U, 255U}) {
    const fs::path path = folder_ / std::string(length, 'n');
    write_file_atomically(path, "old");
    write_file_atomically(path, "new");
    EXPECT_EQ(content(path), "new") << length;
  }
  EXPECT_EQ(num_files(), 3);
}

}  // namespace
}  // namespace outrider
