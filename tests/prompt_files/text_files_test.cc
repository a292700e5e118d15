#include "runtime/prompt_files/text_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::text {
namespace {

namespace fs = std::filesystem;

class TextFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  TextFiles read(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    texts.clear();
    return read_text_files("--reference", paths,
                           [this](const std::string& text) { texts.push_back(text); });
  }

  std::vector<std::string> texts;
  test::TemporaryFolder folder_;
};

TEST_F(TextFilesTest, ReadsFilesAndFoldersInOrder) {
  write("d/b.txt", "two");
  write("d/a/x.txt", "one");
  write("d/c.txt", "");
  write("last.txt", "ü");
  const TextFiles found = read({"d", "last.txt", "d/b.txt"});
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "two", "", "ü", "two"}));
  EXPECT_EQ(found.files, 5);
  EXPECT_EQ(found.bytes, 11u);
  EXPECT_EQ(found.no_text + found.too_large, 0);
}

TEST_F(TextFilesTest, LeavesOutWhatIsNoText) {
  write("d/a.txt", "text");
  write("d/zero", std::string("a\0b", 3));
  write("d/latin", "\xfc");
  const TextFiles found = read({"d"});
  EXPECT_EQ(texts, (std::vector<std::string>{"text"}));
  EXPECT_EQ(found.no_text, 2);
  // Also if it is named, as a shell does for d/*.
  EXPECT_EQ(read({"d/zero", "d/a.txt"}).no_text, 1);
}

TEST_F(TextFilesTest, LeavesOutWhatIsHiddenInFoldersAndLinksToFolders) {
  write("d/a.txt", "text");
  write("d/.git/config", "hidden");
  write("d/.env", "hidden");
  write("other/b.txt", "linked");
  fs::create_symlink(path("other"), path("d/folder"));
  fs::create_symlink("..", path("d/up"));
  fs::create_symlink(path("nothing"), path("d/broken"));
  fs::create_symlink(path("other/b.txt"), path("d/file.txt"));
  ASSERT_EQ(::mkfifo(path("d/pipe").c_str(), 0600), 0);
  (void)read({"d"});
  EXPECT_EQ(texts, (std::vector<std::string>{"text", "linked"}));
  std::set<std::string> inputs;
  for (const InputPath& input : text_files_at(path("d"))) inputs.insert(input.path.filename());
  EXPECT_EQ(inputs, (std::set<std::string>{"a.txt", "file.txt"}));
  EXPECT_EQ(text_files_at(path("d/.env")).front().path, path("d/.env"));
  // What is named is meant.
  (void)read({"d/.env", "d/folder"});
  EXPECT_EQ(texts, (std::vector<std::string>{"hidden", "linked"}));
}

TEST_F(TextFilesTest, LargeFilesAreLeftOutOfFoldersAndRefusedByName) {
  write("d/a.txt", "text");
  write("d/large.txt", "");
  fs::resize_file(path("d/large.txt"), kMostBytesOfTextFile + 1);
  const TextFiles found = read({"d"});
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_EQ(found.too_large, 1);
  test::expect_input_error([&] { (void)read({"d/large.txt"}); },
                           "--reference: ", "d/large.txt: expected at most 16777216 bytes");
}

TEST_F(TextFilesTest, TakesSoManyBytesInAll) {
  const std::string large(kMostBytesOfTextFile, 'a');
  for (const char* name : {"d/1", "d/2", "d/3", "d/4"}) write(name, large);
  EXPECT_EQ(read({"d"}).bytes, kMostBytesOfTextFiles);
  write("d/5", "a");
  test::expect_input_error([&] { (void)read({"d"}); },
                           "--reference: expected at most 67108864 bytes of text, found more",
                           "d/5", "name fewer files");
}

TEST_F(TextFilesTest, ThatCannotBeReadAreNamed) {
  write("d/a.txt", "text");
  test::expect_input_error(
      [&] {
        (void)read({"d", "nothing"});
      },
      "--reference: ", "nothing: No such file or directory; expected a text file, or a folder");
  fs::create_directory(path("empty"));
  test::expect_input_error([&] { (void)read({"empty"}); }, "--reference: expected a text file",
                           "found none in", "empty: 0 files are not text");
  write("binary", std::string("\0", 1));
  test::expect_input_error([&] { (void)read({"binary"}); }, "binary: 1 files are not text");
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser reads every file";
  fs::permissions(path("d/a.txt"), fs::perms::none);
  test::expect_input_error([&] { (void)read({"d"}); }, "--reference: ", "Permission denied");
}

}  // namespace
}  // namespace outrider::text
