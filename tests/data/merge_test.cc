#include "data/store/merge.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "data/store/trace_group.h"
#include "data/store/trace_store.h"
#include "data/store/verify_store.h"
#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "tests/data/random_group.h"
#include "tests/data/random_store.h"
#include "tests/support/expect_input_error.h"

namespace outrider::data {
namespace {

namespace fs = std::filesystem;

constexpr ShardPlan kPlan = {40, 4, 1, 1};  // ten shards

/// Every file of a folder by name, without locks and without the times in manifests.
std::map<std::string, std::string> bytes_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name.ends_with("lock")) continue;
    std::string text = read_text_file(entry.path(), std::size_t{1} << 30);
    if (name.ends_with(".json")) {
      auto json = nlohmann::ordered_json::parse(text);
      for (auto& shard : json.at("shards")) shard.erase("written");
      text = json.dump();
    }
    files[name] = text;
  }
  return files;
}

class Merge : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  /// Makes some parts of a store, and some of a group of it where the store is whole.
  void make(const std::string& name, const std::vector<int>& parts, int of) const {
    for (const int part : parts) {
      ShardPlan plan = kPlan;
      plan.part = part;
      plan.parts = of;
      TraceWriter writer(path(name), identity_, plan);
      for (const int shard : writer.missing())
        writer.write(shard, test::random_shard(identity_, plan, shard));
    }
  }
  void add_group(const std::string& name, const std::vector<int>& parts, int of) const {
    const TraceStore store(path(name));
    for (const int part : parts) {
      GroupWriter writer(store, test::random_group_spec(), part, of);
      for (const int shard : writer.missing()) test::write_random_group(writer, store, shard);
    }
  }
  void expect_sound(const std::string& name) const {
    const TraceStore store(path(name));
    EXPECT_TRUE(store.missing().empty());
    EXPECT_EQ(verify_store(store, [](std::int64_t) {}), std::vector<std::string>());
    EXPECT_EQ(verify_groups(store), std::vector<std::string>());
  }

  test::TemporaryFolder folder_;
  StoreIdentity identity_ = test::small_identity();
};

const auto kNothing = [](std::int64_t) {};

TEST_F(Merge, OfPartsInOneFolderIsWhatOneProcessMakes) {
  make("whole", {1}, 1);
  add_group("whole", {1}, 1);
  for (const int parts : {2, 3, 10, 16}) {  // of 16 some have no shard
    const std::string name = "of" + std::to_string(parts);
    std::vector<int> all;
    for (int part = parts; part > 0; --part) all.push_back(part);
    make(name, all, parts);
    add_group(name, all, parts);
    const StoreMerge merge({path(name)});
    EXPECT_EQ(merge.missing(), std::vector<std::string>());
    merge.in_place();
    EXPECT_EQ(bytes_of(path(name)), bytes_of(path("whole"))) << parts;
    EXPECT_EQ(parts_of_store(path(name)), 1);
    expect_sound(name);
  }
}

TEST_F(Merge, OfFoldersOfSeveralMachinesIsWhatOneProcessMakes) {
  make("whole", {1}, 1);
  make("a", {1, 4}, 4);
  make("b", {3}, 4);
  make("c", {2, 3}, 4);  // part 3 was made twice
  const StoreMerge merge({path("a"), path("b"), path("c")});
  EXPECT_EQ(merge.missing(), std::vector<std::string>());
  merge.copy_to(path("all"), kNothing);
  EXPECT_EQ(bytes_of(path("all")), bytes_of(path("whole")));
  expect_sound("all");
}

TEST_F(Merge, OfAGroupWhosePartsAreOnSeveralMachines) {
  make("a", {1}, 1);
  make("b", {1}, 1);
  make("whole", {1}, 1);
  add_group("a", {1}, 2);
  add_group("b", {2}, 2);
  add_group("whole", {1}, 1);
  const StoreMerge of_one({path("a")});
  ASSERT_EQ(of_one.missing().size(), 1u);
  EXPECT_EQ(of_one.missing()[0],
            path("a/group-draft").string() +
                ": 5 of 10 shards are missing of part 2 of 2: start it again with --shard I/2, or "
                "of a job array --array=1");
  StoreMerge({path("a"), path("b")}).copy_to(path("all"), kNothing);
  EXPECT_EQ(bytes_of(path("all")), bytes_of(path("whole")));
  expect_sound("all");
}

TEST_F(Merge, SaysWhichPartsAreMissing) {
  make("some", {1, 4}, 5);
  EXPECT_EQ(StoreMerge({path("some")}).missing(),
            std::vector{path("some").string() +
                        ": 6 of 10 shards are missing of parts 2, 3, 5 of 5: start them again with "
                        "--shard I/5, or of a job array --array=1,2,4"});
}

TEST_F(Merge, ThatWasKilledIsFinishedByAnother) {
  make("whole", {1}, 1);
  make("parts", {1, 2, 3}, 3);
  fs::create_directory(path("kept"));
  fs::copy(path("parts/manifest-2-of-3.json"), path("kept/manifest-2-of-3.json"));
  StoreMerge({path("parts")}).in_place();
  fs::copy(path("kept/manifest-2-of-3.json"), path("parts/manifest-2-of-3.json"));
  const StoreMerge again({path("parts")});
  EXPECT_EQ(again.missing(), std::vector<std::string>());
  again.in_place();
  EXPECT_EQ(bytes_of(path("parts")), bytes_of(path("whole")));

  make("a", {1}, 2);
  make("b", {2}, 2);
  const StoreMerge merge({path("a"), path("b")});
  const auto killed = [](std::int64_t done) {
    if (done == 4) throw InputError("killed");
  };
  test::expect_input_error([&] { merge.copy_to(path("all"), killed); }, "killed");
  EXPECT_EQ(TraceStore(path("all")).missing().size(), 6u);
  merge.copy_to(path("all"), kNothing);
  EXPECT_EQ(bytes_of(path("all")), bytes_of(path("whole")));
}

TEST_F(Merge, OfAnUnfinishedStoreIsFinishedByOneProcess) {
  make("whole", {1}, 1);
  make("some", {1, 3}, 3);
  StoreMerge({path("some")}).in_place();
  make("some", {1}, 1);
  EXPECT_EQ(bytes_of(path("some")), bytes_of(path("whole")));
}

TEST_F(Merge, WaitsForNoOtherProcess) {
  make("parts", {1, 2}, 2);
  ShardPlan plan = kPlan;
  plan.part = plan.parts = 2;
  const TraceWriter writer(path("parts"), identity_, plan);
  test::expect_input_error([&] { StoreMerge({path("parts")}).in_place(); }, "another process");
  EXPECT_EQ(parts_of_store(path("parts")), 2);
}

TEST_F(Merge, OfShardsThatDifferIsRefused) {
  make("a", {1}, 2);
  ShardPlan plan = kPlan;
  plan.parts = 2;
  {
    TraceWriter writer(path("b"), identity_, plan);
    ShardPlan shorter = plan;
    shorter.conversations = 2;
    writer.write(0, test::random_shard(identity_, shorter, 0));
  }
  test::expect_input_error(
      [&] {
        StoreMerge({path("a"), path("b")});
      },
      path("b").string(), "has a shard 0 of other content than " + path("a").string());
}

TEST_F(Merge, OfOtherStoresOrDamagedFilesIsRefused) {
  make("a", {1}, 2);
  identity_.options[0].second = "50";
  make("b", {2}, 2);
  test::expect_input_error(
      [&] {
        StoreMerge({path("a"), path("b")});
      },
      path("b").string(), "belongs to another store", "--max-new was '40' and is now '50'");
  const StoreMerge merge({path("a")});
  EXPECT_EQ(merge.damaged(kNothing), std::vector<std::string>());
  std::ofstream(path("a/shard-00002.h5"), std::ios::app) << "x";
  ASSERT_EQ(merge.damaged(kNothing).size(), 1u);
  EXPECT_NE(merge.damaged(kNothing)[0].find("shard-00002.h5: damaged: expected"),
            std::string::npos);
  test::expect_input_error([&] { merge.copy_to(path("all"), kNothing); }, "shard-00002.h5",
                           "damaged");
  test::expect_input_error([&] { StoreMerge({path("a"), path("none")}); }, path("none").string());
}

}  // namespace
}  // namespace outrider::data
