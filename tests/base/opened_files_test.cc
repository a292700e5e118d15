#include "runtime/base/opened_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/base/text_file.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

class OpenedFilesTest : public testing::Test {
 protected:
  OpenedFilesTest() {
    forget_opened_files();
    fs::create_directories(path("store"));
    for (const char* name : {"input", "store/part-1", "store/notes"})
      std::ofstream(path(name)) << name;
  }
  ~OpenedFilesTest() override { forget_opened_files(); }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  void refuse(const fs::path& output, const std::string& part) const {
    test::expect_input_error([&] { claim_output("--json", output); },
                             "--json " + output.string() + ": would ", part);
  }

  test::TemporaryFolder folder_;
};

bool is_part(const std::string& name) { return name.starts_with("part-"); }

TEST_F(OpenedFilesTest, AnInputIsRefusedAsOutputUnderAnyName) {
  fs::create_symlink("input", path("link"));
  fs::create_hard_link(path("input"), path("twin"));
  read_text_file(path("link"), 100);
  for (const char* name : {"input", "link", "twin", "store/../input"})
    refuse(path(name), "replace " + path("link").string() + ", which is read");
  claim_output("--json", path("store/notes"));
  forget_opened_files();
  claim_output("--json", path("input"));
}

TEST_F(OpenedFilesTest, AnOpenDescriptorIsAnInputToo) {
  const int file = ::open(path("input").c_str(), O_RDONLY);
  note_input(file, "standard input");
  ::close(file);
  refuse(path("input"), "replace standard input, which is read");
}

TEST_F(OpenedFilesTest, FilesOfAnInputFolderAreInputsBeforeTheyAreOpened) {
  fs::create_symlink("store", path("other"));
  fs::create_symlink("store/part-3", path("dangling"));
  note_input_folder(path("store"), is_part);
  refuse(path("store/part-1"), "replace a file of");
  refuse(path("other/part-1"), "replace a file of");
  fs::create_hard_link(path("store/part-1"), path("twin"));
  refuse(path("twin"), "replace " + path("store/part-1").string());
  refuse(path("store/part-2"), "become a file of");
  refuse(path("dangling"), "become a file of");
  claim_output("--json", path("store/notes"));
  claim_output("--plot", path("store/new"));
}

TEST_F(OpenedFilesTest, FilesOfAFolderThatIsUpdatedAreOutputsOfUpdatesOnly) {
  note_input_folder(path("store"), is_part, FolderUse::kReadAndUpdate);
  for (const char* name : {"store/part-1", "store/part-2"}) {
    test::expect_input_error([&] { claim_output("--json", path(name)); }, "--json ",
                             "which is read");
    claim_update("--artifacts", path(name));
  }
}

TEST_F(OpenedFilesTest, TwoOutputsAreTwoFiles) {
  fs::create_symlink("new", path("link"));
  claim_output("--json", path("new"));
  claim_output("--json", path("new"));
  for (const char* name : {"new", "link"})
    test::expect_input_error([&] { claim_output("--plot", path(name)); },
                             "--json and --plot: both would write ");
  claim_output("--json", "-");
  test::expect_input_error([] { claim_output("--plot", "-"); },
                           "--json and --plot: only one of them can be standard output");
  for (const char* flag : {"--json", "--plot"}) claim_output(flag, "/dev/null");
}

TEST_F(OpenedFilesTest, AnUpdatedFileMayBeAnInput) {
  read_text_file(path("input"), 100);
  claim_update("--artifacts", path("input"));
  test::expect_input_error([&] { claim_output("--plot", path("input")); }, "--plot ");
  claim_update("--artifacts", path("made"));
  test::expect_input_error([&] { claim_output("--plot", path("made")); },
                           "--artifacts and --plot: both would write ");
  test::expect_input_error([] { claim_update("--artifacts", "-"); },
                           "--artifacts: expected a file, found -");
}

TEST_F(OpenedFilesTest, WhatIsKeptBesideAnUpdatedFileIsNoOutput) {
  fs::create_symlink("store/made", path("link"));
  const std::vector<std::string> beside = {".lock", ".heads-answers.part", ".part", ".part-12"};
  const std::string why = "would replace a file that --artifacts ";
  for (const std::string& name : {std::string("made"), std::string("link")}) {
    const auto update = [&] { claim_update("--artifacts", path(name)); };
    for (const std::string& end : beside) {
      for (const bool is_first : {true, false}) {
        forget_opened_files();
        const auto write = [&] { claim_output("--plot", path(name + end)); };
        is_first ? update() : write();
        std::string named = "--plot ";
        named.append(path(name + end).string()).append(": ").append(why);
        if (is_first)
          test::expect_input_error(write, named);
        else
          test::expect_input_error(update, named);
      }
    }
  }
  forget_opened_files();
  claim_update("--artifacts", path("link"));
  // Where the link leads to, and under another name of that.
  test::expect_input_error([&] { claim_output("--plot", path("store/made.lock")); }, why);
  fs::create_symlink("made.lock", path("store/lock"));
  test::expect_input_error([&] { claim_output("--plot", path("store/lock")); }, why);
  for (const char* name : {"link.svg", "link.lock.svg", "other.lock", "other/link.lock"})
    claim_output("--plot", path(name));
  claim_update("--artifacts", path("link"));
}

}  // namespace
}  // namespace outrider
