#include "runtime/base/text_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "runtime/base/error.h"
#include "tests/support/expect_input_error.h"

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

/// Standard input is a socket, which holds some bytes and then ends.
class StandardInput {
 public:
  explicit StandardInput(const std::string& bytes) : before_(::dup(STDIN_FILENO)) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) ADD_FAILURE() << "no sockets";
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::dup2(ends[0], STDIN_FILENO);
    for (const int end : ends) ::close(end);
  }
  ~StandardInput() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
};

TEST(TextFile, ReadsStandardInputByItsDescriptorWhateverItIsCalled) {
  for (const char* name : {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev//stdin"}) {
    const StandardInput input("text");
    EXPECT_EQ(read_text_file(name, 4), "text") << name;
    EXPECT_EQ(input_name(name), "standard input");
  }
  EXPECT_EQ(input_name("./-"), "./-");
  test::expect_input_error([] { read_text_file("./-", 4); }, "./-: No such file or directory");
}

}  // namespace
}  // namespace outrider
