#include "runtime/artifacts/artifact_set.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/shipped_file.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/writer.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::artifacts {
namespace {

namespace fs = std::filesystem;

const Folders kFolders = {"checkpoints", shipped_file("checkpoints")};
const TargetIdentity kMine = {"mine.gguf", "aaaa", "bbbb", 274, 64, 2};

TargetIdentity other_target() {
  TargetIdentity other = kMine;
  other.name = "another.gguf";
  other.model_hash = "cccc";
  return other;
}

/// A file with groups dated on a day of a month.
void write_file(const fs::path& path, const TargetIdentity& target,
                const std::vector<std::pair<std::string, int>>& groups) {
  hdf5::Writer file;
  write_target(target, file);
  for (const auto& [group, day] : groups)
    write_provenance({.command = "a tool",
                      .options = "",
                      .date = "2026-01-0" + std::to_string(day) + "T00:00:00Z"},
                     group, file);
  std::vector<std::byte> bytes = file.finish();
  hdf5::add_checksum(bytes);
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

/// A working folder, with checkpoints/ or without.
class Artifacts : public testing::Test {
 protected:
  Artifacts() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~Artifacts() override { fs::current_path(before_); }

  /// The name of the file that a group is read from; "" for none.
  static std::string source(const ArtifactSet& set, const std::string& group) {
    const ArtifactFile* file = set.with(group);
    return file == nullptr ? "" : file->reader().name();
  }

 private:
  test::TemporaryFolder folder_;
  fs::path before_;
};

TEST_F(Artifacts, OfSeveralFilesAreReadAsOne) {
  write_file("checkpoints/a.h5", kMine, {{"/ngrammys", 1}, {"/cost/one", 1}});
  write_file("checkpoints/b.h5", kMine, {{"/pld_plus/layer", 1}, {"/cost/other", 1}});
  const ArtifactSet set(kMine, "", kFolders);
  EXPECT_EQ(set.groups(),
            (std::vector<std::string>{"/cost/one", "/cost/other", "/ngrammys", "/pld_plus/layer"}));
  EXPECT_EQ(source(set, "/ngrammys"), "checkpoints/a.h5");
  EXPECT_EQ(source(set, "/cost/one"), "checkpoints/a.h5");
  EXPECT_EQ(source(set, "/cost/other"), "checkpoints/b.h5");
  EXPECT_EQ(source(set, "/pld_plus/layer"), "checkpoints/b.h5");
  EXPECT_EQ(source(set, "/plan"), "");
}

TEST_F(Artifacts, OfOneFolderTheNewestGroupIsRead) {
  write_file("checkpoints/a.h5", kMine, {{"/one", 3}, {"/two", 1}, {"/three", 2}});
  write_file("checkpoints/b.h5", kMine, {{"/one", 2}, {"/two", 2}, {"/three", 2}});
  const ArtifactSet set(kMine, "", kFolders);
  EXPECT_EQ(source(set, "/one"), "checkpoints/a.h5");
  EXPECT_EQ(source(set, "/two"), "checkpoints/b.h5");
  EXPECT_EQ(source(set, "/three"), "checkpoints/a.h5");
  EXPECT_EQ(set.groups().size(), 3U);
}

TEST_F(Artifacts, AFileThatIsNamedGoesBeforeNewerOnes) {
  write_file("checkpoints/a.h5", kMine, {{"/one", 3}, {"/two", 3}});
  write_file("named.h5", kMine, {{"/one", 1}});
  const ArtifactSet set(kMine, "named.h5", kFolders);
  EXPECT_EQ(source(set, "/one"), "named.h5");
  EXPECT_EQ(source(set, "/two"), "checkpoints/a.h5");
  // Also if it is in the same folder as the others.
  const ArtifactSet within(kMine, "checkpoints/a.h5", kFolders);
  EXPECT_EQ(source(within, "/one"), "checkpoints/a.h5");
}

TEST_F(Artifacts, AFolderThatIsNamedIsReadAsOneAndGoesBeforeOthers) {
  write_file("checkpoints/a.h5", kMine, {{"/one", 9}, {"/two", 9}, {"/three", 9}});
  write_file("named/a.h5", kMine, {{"/one", 1}, {"/two", 1}});
  write_file("named/b.h5", kMine, {{"/one", 2}});
  write_file("named/c.h5", other_target(), {{"/three", 2}});
  const ArtifactSet set(kMine, "named", kFolders);
  EXPECT_EQ(source(set, "/one"), "named/b.h5");
  EXPECT_EQ(source(set, "/two"), "named/a.h5");
  EXPECT_EQ(source(set, "/three"), "checkpoints/a.h5");
}

TEST_F(Artifacts, OfOtherTargetsAndDamagedOnesArePassedOverUnlessTheyAreNamed) {
  write_file("checkpoints/a.h5", other_target(), {{"/one", 1}});
  std::ofstream("checkpoints/b.h5") << "no HDF5";
  const ArtifactSet none(kMine, "", kFolders);
  EXPECT_TRUE(none.groups().empty());
  ASSERT_EQ(none.refused().size(), 1U);
  EXPECT_TRUE(none.refused()[0].starts_with("checkpoints/b.h5: is not an HDF5 file"));
  write_file("checkpoints/c.h5", kMine, {{"/one", 1}});
  EXPECT_EQ(source(ArtifactSet(kMine, "", kFolders), "/one"), "checkpoints/c.h5");
  const auto named = [](const char* path) {
    return [path] { ArtifactSet(kMine, path, kFolders); };
  };
  test::expect_input_error(named("checkpoints/a.h5"), "checkpoints/a.h5",
                           "made for the model another.gguf (cccc)", "not for mine.gguf");
  test::expect_input_error(named("checkpoints/b.h5"), "checkpoints/b.h5", "is not an HDF5 file");
  test::expect_input_error(named("absent.h5"), "absent.h5");
  fs::create_directory("empty");
  test::expect_input_error(named("empty"), "empty: expected an artifact file (*.h5)",
                           "mine.gguf (aaaa)", "found none");
}

TEST_F(Artifacts, AreReadInTheNamedFolderAndInTheOthers) {
  fs::create_directory("named");
  const std::vector<InputPath> inputs = inputs_at("named", kFolders);
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].path, "named");
  EXPECT_EQ(inputs[1].path, kFolders[0]);
  EXPECT_EQ(inputs[2].path, kFolders[1]);
  for (const InputPath& input : inputs) {
    EXPECT_TRUE(input.may_be_updated);
    EXPECT_TRUE(input.is_read("any.h5"));
    EXPECT_FALSE(input.is_read("any.jsonl"));
  }
  EXPECT_EQ(inputs_at("named.h5", kFolders).front().is_read, nullptr);
  EXPECT_EQ(inputs_at("", kFolders).size(), 2u);
}

TEST_F(Artifacts, SayWhichCommandMakesWhatAFileThatIsNamedLacks) {
  EXPECT_EQ(ArtifactSet(kMine, "", kFolders).with("/one", "calibrate one"), nullptr);
  write_file("named.h5", kMine, {{"/two", 1}});
  const ArtifactSet set(kMine, "named.h5", kFolders);
  EXPECT_NE(set.with("/two", "calibrate two"), nullptr);
  test::expect_input_error([&] { set.with("/one", "calibrate one"); }, "named.h5: has no one",
                           "`calibrate one` makes it");
}

TEST_F(Artifacts, OfTheProgramsAreReadAfterThoseHere) {
  const ArtifactFolder shipped(kFolders[1]);
  ASSERT_FALSE(shipped.sets.empty());
  const TargetIdentity target = shipped.sets.front().target();
  const std::string group = shipped.sets.front().groups().front();
  const std::string its_file = source(shipped.sets.front(), group);
  write_file("checkpoints/here.h5", target, {{"/mine", 1}});
  EXPECT_EQ(source(ArtifactSet(target, "", kFolders), "/mine"), "checkpoints/here.h5");
  EXPECT_EQ(source(ArtifactSet(target, "", kFolders), group), its_file);
  write_file("checkpoints/here.h5", target, {{group, 1}});
  EXPECT_EQ(source(ArtifactSet(target, "", kFolders), group), "checkpoints/here.h5");
}

TEST_F(Artifacts, OfAFolderAreListedByTargetWithTheFilesThatCannotBeRead) {
  write_file("some/a.h5", kMine, {{"/one", 1}});
  write_file("some/b.h5", other_target(), {{"/one", 1}});
  write_file("some/c.h5", kMine, {{"/two", 1}});
  std::ofstream("some/d.h5") << "no HDF5";
  std::ofstream("some/e.txt") << "no artifact";
  const ArtifactFolder folder("some");
  ASSERT_EQ(folder.sets.size(), 2U);
  EXPECT_EQ(folder.sets[0].target().name, "another.gguf");
  EXPECT_EQ(folder.sets[0].groups(), std::vector<std::string>{"/one"});
  EXPECT_EQ(folder.sets[1].groups(), (std::vector<std::string>{"/one", "/two"}));
  EXPECT_EQ(source(folder.sets[1], "/two"), "some/c.h5");
  ASSERT_EQ(folder.refused.size(), 1U);
  EXPECT_TRUE(folder.refused[0].starts_with("some/d.h5: is not an HDF5 file")) << folder.refused[0];
  test::expect_input_error([] { ArtifactFolder("nowhere"); }, "nowhere: expected a folder");
}

TEST_F(Artifacts, OfEachGroupHaveAFileOfTheirOwnUnlessOneIsNamed) {
  const auto file = [](const char* named, const char* model, const char* group) {
    TargetIdentity target = kMine;
    target.name = model;
    return file_to_write(named, kFolders, target, group).string();
  };
  EXPECT_EQ(file("", "mine.gguf", "/ngrammys"), "checkpoints/mine.ngrammys.h5");
  EXPECT_EQ(file("", "Mine-0.5B", "/cost/Some-CPU-2.0GHz"),
            "checkpoints/Mine-0.5B.cost-Some-CPU-2.0GHz.h5");
  EXPECT_EQ(file("that.h5", "mine.gguf", "/ngrammys"), "that.h5");
  EXPECT_EQ(file("some/", "mine.gguf", "/ngrammys"), "some/mine.ngrammys.h5");
  fs::create_directory("folder");
  EXPECT_EQ(file("folder", "mine.gguf", "/pld_plus/layer"), "folder/mine.pld_plus-layer.h5");
}

}  // namespace
}  // namespace outrider::artifacts
