#include "runtime/base/held_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

TEST(HeldFile, IsHeldByOneAtATime) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock.held";
  HeldFile first, second;
  EXPECT_TRUE(first.take(path));
  EXPECT_FALSE(second.take(path));
  const std::string holder = HeldFile::holder(path);
  EXPECT_NE(holder.find(path.string()), std::string::npos) << holder;
  EXPECT_NE(holder.find(std::to_string(::getpid())), std::string::npos) << holder;
  EXPECT_NE(holder.find("remove the file"), std::string::npos) << holder;
  first.release();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(second.take(path));
}

TEST(HeldFile, OfAProcessThatHasEndedIsTakenOver) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock.held";
  const pid_t child = ::fork();
  if (child == 0) {
    auto* const left = new HeldFile;  // not released, as by a process that is killed
    ::_exit(left->take(path) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path));
  HeldFile next;
  EXPECT_TRUE(next.take(path));
}

TEST(HeldFile, OfAnotherMachineIsNot) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock.held";
  std::ofstream(path) << "1 another-machine\n";
  HeldFile next;
  EXPECT_FALSE(next.take(path));
  EXPECT_NE(HeldFile::holder(path).find("process 1 on another-machine"), std::string::npos);
}

TEST(HeldFile, WithoutANameIsOfAnotherProcess) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lock.held";
  std::ofstream(path) << "";
  EXPECT_NE(HeldFile::holder(path).find(": another process, which has not written its name, has "
                                        "this lock"),
            std::string::npos)
      << HeldFile::holder(path);
}

TEST(HeldFile, NeedsAFolderThatCanBeWritten) {
  HeldFile held;
  test::expect_input_error([&] { held.take("/no/such/folder/lock.held"); }, "cannot lock");
}

TEST(HeldFile, IsForTheErrorsOfFileSystemsWithoutLocks) {
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL}) EXPECT_TRUE(has_no_locks(error));
  for (const int error : {EAGAIN, EACCES, EBADF}) EXPECT_FALSE(has_no_locks(error));
}

}  // namespace
}  // namespace outrider
