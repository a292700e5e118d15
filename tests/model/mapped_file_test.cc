#include "runtime/model/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

using test::expect_input_error;

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << "seven77";
  const MappedFile file(path);
  ASSERT_EQ(file.bytes().size(), 7u);
  EXPECT_EQ(file.bytes()[6], std::byte{'7'});
  file.release_pages();
  EXPECT_EQ(file.bytes()[0], std::byte{'s'});
}

TEST(MappedFile, KnowsWhenTheFileWasWrittenTo) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << "seven77";
  const MappedFile file(path);
  EXPECT_NO_THROW(file.check_unchanged());
  std::filesystem::remove(path);
  std::ofstream(path) << "another";  // a file of its own
  EXPECT_NO_THROW(file.check_unchanged());
  const MappedFile second(path);
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  expect_input_error([&] { second.check_unchanged(); }, path.string(), "was written to while");
}

TEST(MappedFile, RefusesWhatIsNotAFileWithBytes) {
  const test::TemporaryFolder folder;
  const auto absent = folder.path() / "absent.gguf";
  expect_input_error([&] { MappedFile file(absent); }, absent.string(), "no such file");
  expect_input_error([&] { MappedFile file(folder.path()); }, "is a directory");
  const auto empty = folder.path() / "empty";
  std::ofstream(empty).close();
  expect_input_error([&] { MappedFile file(empty); }, "the file is empty");
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_input_error([&] { MappedFile file(pipe); }, "not a regular file");
}

TEST(LoadModel, KeepsTheFileAsLongAsTheModelNeedsIt) {
  const test::TemporaryFolder folder;
  const auto path = test::write_tiny_llama(folder.path(), "tiny.gguf", {}, 5, WeightType::kQ8_0);
  Model copy;
  {
    const Model model = load_model(path);
    copy = model;
  }
  std::vector<float> row(96);
  copy.layers[1].down.read_row(63, row.data());
  EXPECT_EQ(copy.path, path);
  copy.release_pages();
  std::vector<float> again(96);
  copy.layers[1].down.read_row(63, again.data());
  EXPECT_EQ(row, again);
}

}  // namespace
}  // namespace outrider::model
