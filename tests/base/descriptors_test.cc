#include "runtime/base/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "runtime/base/log.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

struct Pipe {
  Pipe() {
    if (::pipe(ends) != 0) ADD_FAILURE() << "no pipe";
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  void close_writer() { ::close(std::exchange(ends[1], -1)); }
  int ends[2];
};

TEST(Descriptors, WaitForAPipeThatIsFull) {
  Pipe pipe;
  ::fcntl(pipe.ends[1], F_SETFL, O_NONBLOCK);
  const std::string bytes(1 << 20, 'x');  // more than a pipe's buffer
  std::string read;
  std::thread reader([&] { read = read_whole(pipe.ends[0], "pipe", bytes.size()); });
  EXPECT_EQ(write_whole(pipe.ends[1], bytes), 0);
  pipe.close_writer();
  reader.join();
  EXPECT_EQ(read.size(), bytes.size());
}

TEST(Descriptors, AreNotDisturbedBySignals) {
  Pipe pipe;
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);  // no SA_RESTART: calls are interrupted
  const std::string bytes(1 << 20, 'x');
  int error = -1;
  std::thread writer([&] { error = write_whole(pipe.ends[1], bytes); });
  std::string read;
  std::thread reader([&] { read = read_whole(pipe.ends[0], "pipe", bytes.size()); });
  for (int i = 0; i < 100; ++i) {
    ::pthread_kill(writer.native_handle(), SIGUSR1);
    ::pthread_kill(reader.native_handle(), SIGUSR1);
  }
  writer.join();
  pipe.close_writer();
  reader.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(read.size(), bytes.size());
}

TEST(Descriptors, NameTheReasonOfAnError) {
  Pipe pipe;
  EXPECT_EQ(write_whole(pipe.ends[0], "x"), EBADF);
  EXPECT_EQ(write_whole(pipe.ends[1], std::string(100, 'x')), 0);
  test::expect_input_error([&] { read_whole(pipe.ends[0], "pipe", 99); },
                           "pipe: expected at most 99 bytes, found more");
  test::expect_input_error([&] { read_whole(pipe.ends[1], "pipe", 99); },
                           "pipe: Bad file descriptor");
}

/// Runs `action` in a child process with the descriptors 0 to 2 closed; the exit status is its result.
template <typename Action>
void expect_with_closed_descriptors(const Action& action) {
  EXPECT_EXIT(
      {
        for (int descriptor = 0; descriptor <= 2; ++descriptor) ::close(descriptor);
        ::_exit(action());
      },
      testing::ExitedWithCode(0), "");
}

TEST(DescriptorsDeathTest, ThatAreClosedAreOpened) {
  expect_with_closed_descriptors([] {
    open_standard_descriptors();
    struct stat null = {}, found = {};
    ::stat("/dev/null", &null);
    for (int descriptor = 0; descriptor <= 2; ++descriptor)
      if (::fstat(descriptor, &found) != 0 || found.st_rdev != null.st_rdev) return 1;
    return ::open("/dev/null", O_RDONLY) > 2 ? 0 : 2;
  });
}

TEST(LogDeathTest, ErrorsAreIgnored) {
  expect_with_closed_descriptors([] {
    print_log("{} lines\n", 1);  // standard error is closed
    if (::open("/dev/full", O_WRONLY) != 0 || ::dup2(0, STDERR_FILENO) != STDERR_FILENO) return 1;
    print_log("{} lines\n", 2);
    return 0;
  });
}

}  // namespace
}  // namespace outrider
