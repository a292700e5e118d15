#include "runtime/base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/base/text_file.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t num_files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }
  /// Creates a named pipe that has both ends, so that nobody waits for the other one.
  int open_pipe(const std::string& name) const {
    if (::mkfifo(path(name).c_str(), 0666) != 0) ADD_FAILURE() << "no pipe";
    return ::open(path(name).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }

  test::TemporaryFolder folder_;
};

/// Limits the size of files that this process writes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

TEST_F(OutputFileTest, TouchesNothingBeforeItIsWritten) {
  put("out", "old");
  { const OutputFile unused("--json", path("out")), absent("--plot", path("new")); }
  EXPECT_EQ(content("out"), "old");
  EXPECT_EQ(num_files(), 1);
  OutputFile("", "").write_all("nowhere");
}

TEST_F(OutputFileTest, ReplacesAFileAndKeepsItsPermissions) {
  put("out", "old and longer");
  fs::permissions(path("out"), fs::perms(0640));
  OutputFile("--json", path("out")).write_all("new");
  EXPECT_EQ(content("out"), "new");
  EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms(0640));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFileTest, FollowsSymbolicLinksAlsoToMissingFiles) {
  fs::create_directories(path("inside"));
  put("inside/there", "old");
  fs::create_symlink("inside/there", path("first"));
  fs::create_symlink("first", path("second"));
  fs::create_symlink("inside/new", path("dangling"));
  OutputFile("--json", path("second")).write_all("one");
  OutputFile("--plot", path("dangling")).write_all("two");
  EXPECT_EQ(content("inside/there"), "one");
  EXPECT_EQ(content("inside/new"), "two");
  for (const char* link : {"first", "second", "dangling"})
    EXPECT_TRUE(fs::is_symlink(path(link))) << link;
}

TEST_F(OutputFileTest, WritesThroughAPipe) {
  for (const bool by_offsets : {false, true}) {
    const std::string name = by_offsets ? "offsets" : "order";
    const int pipe = open_pipe(name);
    {
      OutputFile out("--out", path(name));
      if (by_offsets) {
        out.write_at(4, "back");
        out.write_at(0, "to ");
      } else {
        out.write("to ");
        out.write(std::string("\0back", 5));
      }
      out.commit();
    }
    std::string read(100, 'x');
    read.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pipe, read.data(), 100))));
    ::close(pipe);
    EXPECT_EQ(read, std::string("to \0back", 8));
    EXPECT_TRUE(fs::is_fifo(path(name)));
  }
}

TEST_F(OutputFileTest, WritesThroughADevice) {
  if (::mknod(path("full").c_str(), S_IFCHR | 0666, ::makedev(1, 7)) != 0)
    GTEST_SKIP() << "only root makes devices";
  const auto write = [&] { OutputFile("--json", path("full")).write_all("text"); };
  test::expect_input_error(write, "--json " + path("full") + ": cannot write: ");
  test::expect_input_error([&] { RecordFile("--json", path("full")).write("text\n"); },
                           "--json " + path("full") + ": cannot write: ");
  EXPECT_TRUE(fs::is_character_file(path("full")));
}

TEST_F(OutputFileTest, SharesStandardOutputWhateverItIsCalled) {
  testing::internal::CaptureStdout();
  OutputFile("--json", "-").write_all("dash ");
  RecordFile("--json", "-").write("record ");
  OutputFile("--json", "/dev/stdout").write_all("device ");
  RecordFile("--json", "/dev/stdout").write("both");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "dash record device both");
}

TEST_F(OutputFileTest, EndQuietlyIfTheReaderOfStandardOutputHasGone) {
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  const int before = ::dup(STDOUT_FILENO);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::dup2(ends[1], STDOUT_FILENO);
  for (const int end : ends) ::close(end);
  for (const std::string name : {"-", "/dev/stdout", "/dev/fd/1"}) {
    EXPECT_THROW(OutputFile("--out", name).write_all("text"), ClosedPipe) << name;
    EXPECT_THROW(RecordFile("--out", name).write("text\n"), ClosedPipe) << name;
    OutputFile by_offsets("--out", name);
    by_offsets.write_at(0, "text");
    EXPECT_THROW(by_offsets.commit(), ClosedPipe) << name;
  }
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::signal(SIGPIPE, handler);
}

TEST_F(OutputFileTest, NamesTheFlagAndTheReasonBeforeAnyWork) {
  const auto refuse = [&](const std::string& name, const std::string& reason) {
    test::expect_input_error([&] { OutputFile("--json", name); }, "--json " + name + ": ", reason);
    EXPECT_EQ(num_files(), 1);
  };
  fs::create_directories(path("folder"));
  refuse(path("absent/out"), "No such file or directory");
  refuse(path("folder"), "Is a directory");
  refuse(path("folder/"), "Is a directory");
  refuse("/", "Is a directory");
  refuse(path(std::string(256, 'x')), "File name too long");
}

TEST_F(OutputFileTest, RefusesAMountPointBeforeAnyWork) {
  put("out", "old");
  put("from", "other");
  if (::mount(path("from").c_str(), path("out").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "only root mounts files";
  test::expect_input_error([&] { OutputFile("--json", path("out")); },
                           "--json " + path("out") + ": cannot replace: is a mount point; give ");
  ::umount(path("out").c_str());
  EXPECT_EQ(content("out"), "old");
  EXPECT_EQ(num_files(), 2);
}

TEST_F(OutputFileTest, LeavesTheOldFileIfTheNewOneDoesNotFit) {
  put("out", "old");
  {
    const FileSizeLimit limit(1000);
    test::expect_input_error(
        [&] { OutputFile("--json", path("out")).write_all(std::string(1001, 'x')); },
        "--json " + path("out") + ": cannot write: File too large");
  }
  EXPECT_EQ(content("out"), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFileTest, HoldsOnlyWholeRecordsIfTheLastDoesNotFit) {
  const std::string first(600, 'a'), second(600, 'b');
  {
    RecordFile file("--json", path("out"));
    const FileSizeLimit limit(1000);
    file.write(first + "\n");
    test::expect_input_error([&] { file.write(second + "\n"); },
                             "--json " + path("out") + ": cannot write: File too large");
    file.write("short\n");
  }
  EXPECT_EQ(content("out"), first + "\nshort\n");
}

TEST_F(OutputFileTest, RecordsReplaceTheFileAndAreInItAtOnce) {
  put("out", std::string(100, 'x'));
  RecordFile file("--json", path("out"));
  EXPECT_EQ(content("out"), std::string(100, 'x')) << "until there is one";
  file.write("one\n");
  EXPECT_EQ(content("out"), "one\n");
  file.write("two\n");
  EXPECT_EQ(content("out"), "one\ntwo\n");
  RecordFile("--json", "").write("nowhere");
}

}  // namespace
}  // namespace outrider
