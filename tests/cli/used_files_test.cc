#include "runtime/cli/used_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

class UsedFilesTest : public testing::Test {
 protected:
  UsedFilesTest() {
    fs::create_directories(path("store"));
    for (const char* name : {"input", "store/part-1", "store/notes"})
      std::ofstream(path(name)) << name;
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  void refuse(const fs::path& output, const std::string& part) {
    test::expect_input_error([&] { files_.write("--json", output); },
                             "--json " + output.string() + ": would ", part);
  }

  test::TemporaryFolder folder_;
  UsedFiles files_;
};

bool is_part(const std::string& name) { return name.starts_with("part-"); }

TEST_F(UsedFilesTest, AnInputIsRefusedAsOutputUnderAnyName) {
  fs::create_symlink("input", path("link"));
  fs::create_hard_link(path("input"), path("twin"));
  files_.read({path("link")});
  for (const char* name : {"input", "link", "twin", "store/../input"})
    refuse(path(name), "replace " + path("link").string() + ", which is read");
  files_.write("--json", path("store/notes"));
  UsedFiles().write("--json", path("input"));
}

TEST_F(UsedFilesTest, AFolderThatIsReadIsNoOutput) {
  files_.read({path("store"), is_part});
  refuse(path("store"), "replace files of " + path("store").string() + ", which is read");
  UsedFiles updated;
  updated.read({path("store"), is_part, true});
  EXPECT_NO_THROW(updated.write("--out", path("store")));
}

TEST_F(UsedFilesTest, WhatIsNoFileIsNoInput) {
  for (const char* name : {"absent", "store", "/dev/null"}) files_.read({path(name)});
  files_.write("--json", path("absent"));
}

TEST_F(UsedFilesTest, TheFileAtStandardInputIsAnInput) {
  const int before = ::dup(STDIN_FILENO), file = ::open(path("input").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  files_.read({"-"});
  refuse(path("input"), "replace standard input, which is read");
  test::expect_input_error([&] { files_.read({"/dev/stdin"}); },
                           "standard input: expected as one input of a command, found as two");
  ::dup2(before, STDIN_FILENO);
  for (const int descriptor : {before, file}) ::close(descriptor);
}

TEST_F(UsedFilesTest, FilesOfAnInputFolderAreInputsBeforeTheyAreOpened) {
  fs::create_symlink("store", path("other"));
  fs::create_symlink("store/part-3", path("dangling"));
  files_.read({path("store"), is_part});
  refuse(path("store/part-1"), "replace a file of");
  refuse(path("other/part-1"), "replace a file of");
  fs::create_hard_link(path("store/part-1"), path("twin"));
  refuse(path("twin"), "replace " + path("store/part-1").string());
  refuse(path("store/part-2"), "become a file of");
  refuse(path("dangling"), "become a file of");
  files_.write("--json", path("store/notes"));
  files_.write("--plot", path("store/new"));
}

TEST_F(UsedFilesTest, FilesOfAFolderThatIsUpdatedAreOutputsOfUpdatesOnly) {
  files_.read({path("store"), is_part, true});
  for (const char* name : {"store/part-1", "store/part-2"}) {
    test::expect_input_error([&] { files_.write("--json", path(name)); }, "--json ",
                             "which is read");
    files_.update("--artifacts", path(name));
  }
  files_.read({path("store"), [](const std::string& name) { return name == "part-3"; }});
  test::expect_input_error([&] { files_.update("--artifacts", path("store/part-3")); },
                           "would become a file of ");
}

TEST_F(UsedFilesTest, TwoOutputsAreTwoFiles) {
  fs::create_symlink("new", path("link"));
  files_.write("--json", path("new"));
  files_.write("--json", path("new"));
  for (const char* name : {"new", "link"})
    test::expect_input_error([&] { files_.write("--plot", path(name)); },
                             "--json and --plot: both would write ");
  files_.write("--json", path("made/later/x"));
  files_.write("--plot", path("made/later/y"));
  test::expect_input_error([&] { files_.write("--plot", path("made/later/x")); },
                           "--json and --plot: both would write ");
  files_.write("--json", "-");
  for (const char* name : {"-", "/dev/stdout"})
    test::expect_input_error([&] { files_.write("--plot", name); },
                             "--json and --plot: only one of them can be standard output");
  for (const char* flag : {"--json", "--plot"}) files_.write(flag, "/dev/null");
}

TEST_F(UsedFilesTest, AnUpdatedFileMayBeAnInput) {
  files_.read({path("input")});
  files_.update("--artifacts", path("input"));
  test::expect_input_error([&] { files_.write("--plot", path("input")); }, "--plot ");
  files_.update("--artifacts", path("made"));
  test::expect_input_error([&] { files_.write("--plot", path("made")); },
                           "--artifacts and --plot: both would write ");
  test::expect_input_error([&] { files_.update("--artifacts", "-"); },
                           "--artifacts: expected a file, found -");
}

/// What an artifact's lock, journals and temporary files are called.
const std::vector<std::string> kBeside = {".lock", ".heads-answers.part", ".part", ".part-12"};
constexpr const char* kWhyNotBeside = "would replace a file that --artifacts ";

TEST_F(UsedFilesTest, WhatIsKeptBesideAnUpdatedFileIsNoOutput) {
  fs::create_symlink("store/made", path("link"));
  for (const std::string& name : {std::string("made"), std::string("link")}) {
    for (const std::string& end : kBeside) {
      for (const bool is_first : {true, false}) {
        UsedFiles files;
        const auto update = [&] { files.update("--artifacts", path(name)); };
        const auto write = [&] { files.write("--plot", path(name + end)); };
        is_first ? update() : write();
        std::string named = "--plot ";
        named.append(path(name + end).string()).append(": ").append(kWhyNotBeside);
        if (is_first)
          test::expect_input_error(write, named);
        else
          test::expect_input_error(update, named);
      }
    }
  }
  files_.update("--artifacts", path("link"));
  // Where the link leads to, and under another name of that.
  test::expect_input_error([&] { files_.write("--plot", path("store/made.lock")); }, kWhyNotBeside);
  fs::create_symlink("made.lock", path("store/lock"));
  test::expect_input_error([&] { files_.write("--plot", path("store/lock")); }, kWhyNotBeside);
  for (const char* name : {"link.svg", "link.lock.svg", "other.lock", "other/link.lock"})
    files_.write("--plot", path(name));
  files_.update("--artifacts", path("link"));
}

TEST_F(UsedFilesTest, WhatIsKeptBesideAnyArtifactOfAFolderIsNoOutput) {
  files_.update_one_of("--artifacts", path("store"));
  for (const std::string& end : kBeside)
    test::expect_input_error([&] { files_.write("--plot", path("store/a.h5" + end)); },
                             kWhyNotBeside);
  for (const char* name : {"store/a.svg", "store/a.h5.svg", "store/a.lock", "a.h5.lock"})
    files_.write("--plot", path(name));
}

}  // namespace
}  // namespace outrider::cli
