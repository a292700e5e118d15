#include "runtime/cli/file_roles.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/command_line.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

bool has_run = false;

struct FileOptions {
  std::string prompts = "shipped";
  std::optional<std::string> prompt;
  std::vector<std::string> more;
  std::string json, plot, artifacts;
};

Command add_file_demo(CLI::App& program) {
  auto options = std::make_shared<FileOptions>();
  CommandOptions command(program, "demo", "A demonstration");
  command.add_option("-p,--prompts", options->prompts, "Read").type_name("FILE").reads();
  command.add_option("--prompt", options->prompt, "Read").reads([](const std::string& text) {
    return text == "-" ? std::vector<InputPath>{{"-"}} : std::vector<InputPath>();
  });
  command.add_list("MORE", options->more, "Read").reads();
  command.add_option("--json", options->json, "Written").type_name("FILE").writes();
  command.add_option("--plot", options->plot, "Written").type_name("FILE").writes();
  command.add_option("--artifacts", options->artifacts, "Updated")
      .type_name("FILE")
      .reads()
      .updates();
  return {command, [options] { has_run = true; }};
}

/// A command in a folder with some files.
class FileRolesTest : public testing::Test {
 protected:
  FileRolesTest() : before_(fs::current_path()) {
    fs::current_path(folder_.path());
    for (const char* name : {"shipped", "given", "other"}) std::ofstream(name) << name;
    has_run = false;
  }
  ~FileRolesTest() override { fs::current_path(before_); }

  static void run(const std::vector<std::string>& words) { run_part("tool", add_file_demo, words); }
  static void refuse(const std::vector<std::string>& words, const std::string& why) {
    test::expect_input_error([&] { run(words); }, why);
    EXPECT_FALSE(has_run) << why;
  }

 private:
  test::TemporaryFolder folder_;
  fs::path before_;
};

TEST_F(FileRolesTest, NoOutputReplacesWhatAnOptionNames) {
  refuse({"--json", "shipped"}, "--json shipped: would replace shipped, which is read");
  refuse({"--prompts", "given", "--plot", "given"},
         "--plot given: would replace given, which is read");
  refuse({"shipped", "other", "--json", "other"}, "--json other: would replace other");
  refuse({"--prompt", "-", "--prompts", "/dev/stdin"}, "standard input: expected as one input");
  refuse({"--json", "new", "--plot", "new"}, "--json and --plot: both would write new");
  run({"--prompts", "given", "--json", "shipped", "--plot", "new"});
  EXPECT_TRUE(has_run);
}

TEST_F(FileRolesTest, AnArtifactIsReadAndReplaced) {
  refuse({"--artifacts", "given", "--json", "given"}, "--json given: would replace given");
  refuse({"--artifacts", "-"}, "--artifacts: expected a file, found -");
  fs::create_directory("folder");
  for (const char* artifacts : {"folder/a.h5", "folder", "folder/"})
    refuse({"--artifacts", artifacts, "--plot", "folder/a.h5.lock"},
           "--plot folder/a.h5.lock: would replace a file that --artifacts ");
  run({"--artifacts", "given", "--json", "new"});
  EXPECT_TRUE(has_run);
}

}  // namespace
}  // namespace outrider::cli
