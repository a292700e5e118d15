// A process that writes a store is killed, or its disk is full, at every call that touches the disk.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "data/store/trace_group.h"
#include "data/store/trace_store.h"
#include "data/store/verify_store.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {

constexpr int kKilled = 128 + 9;
constexpr int kShards = 4;  // of write_random_store

class KilledWriter : public testing::Test {
 protected:
  void SetUp() override {
    fresh("straight");
    ASSERT_EQ(run(), 0) << errors();
    straight_hash_ = hash();
  }

  /// Switches to a folder that does not exist yet.
  void fresh(const std::string& name) { store_ = folder_.path() / name; }
  /// @return the exit status as in a shell
  int run(const std::string& environment = "", const std::string& arguments = "") const {
    const int status = std::system(command(environment, arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string command(const std::string& environment, const std::string& arguments) const {
    return fmt::format("{} exec '{}' '{}' {} 2> '{}'", environment, OUTRIDER_WRITE_RANDOM_STORE,
                       store_.string(), arguments, (folder_.path() / "err").string());
  }
  std::string errors() const {
    std::ifstream file(folder_.path() / "err");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string hash() const { return content_hash(TraceStore(store_).manifest()); }
  int finished() const {
    if (!std::filesystem::exists(store_ / "manifest.json")) return 0;
    return static_cast<int>(TraceStore(store_).shards().size());
  }

  /// Finishes an interrupted store and compares.
  void expect_sound_after_another_run(const std::string& arguments = "") const {
    ASSERT_EQ(run("", arguments), 0) << errors();
    EXPECT_EQ(hash(), straight_hash_);
    EXPECT_EQ(verify_store(TraceStore(store_), [](std::int64_t) {}), std::vector<std::string>{});
    for (const auto& entry : std::filesystem::directory_iterator(store_)) {
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
    }
  }

  test::TemporaryFolder folder_;
  std::filesystem::path store_;
  std::string straight_hash_;
};

TEST_F(KilledWriter, ContinuesAfterAKillAtEveryCallThatWrites) {
  int last_finished = 0;
  int n = 1;
  for (; true; ++n) {
    fresh(fmt::format("killed-{}", n));
    const int status = run(fmt::format("OUTRIDER_KILL_AT={}", n));
    if (status == 0) break;
    ASSERT_EQ(status, kKilled) << n;
    // Shards finished at an earlier kill are finished now, too.
    EXPECT_GE(finished(), last_finished) << n;
    last_finished = finished();
    expect_sound_after_another_run();
  }
  EXPECT_EQ(last_finished, kShards);
  // Each file is written, synced, renamed, and its folder synced: one manifest at the start, then a shard
  // and a manifest each time; and the parent folder once.
  EXPECT_EQ(n - 1, 1 + 4 + kShards * 8);
}

TEST_F(KilledWriter, AddsAGroupDespiteEveryKillAndFullDiskWithoutChangingTheStore) {
  const auto group_hash = [this] {
    const TraceStore store(store_);
    return content_hash(TraceGroup(store, "draft").manifest());
  };
  ASSERT_EQ(run("", "group"), 0) << errors();
  const std::string straight = group_hash();
  struct Break {
    const char* setting;
    int status;
    int step;
  };
  for (const auto& [setting, broken, step] : {Break{"KILL", kKilled, 1}, Break{"FULL", 2, 5}}) {
    int n = 1;
    for (; true; n += step) {
      std::filesystem::remove_all(store_ / "group-draft");
      const int status = run(fmt::format("OUTRIDER_{}_AT={}", setting, n), "group");
      if (status == 0) break;
      ASSERT_EQ(status, broken) << n << errors();
      // Existing files are valid, and the store is unchanged.
      EXPECT_EQ(verify_store(TraceStore(store_), [](std::int64_t) {}), std::vector<std::string>{});
      ASSERT_EQ(run("", "group"), 0) << errors();
      EXPECT_EQ(group_hash(), straight) << n;
      EXPECT_EQ(verify_groups(TraceStore(store_)), std::vector<std::string>{});
      EXPECT_EQ(hash(), straight_hash_);
    }
    EXPECT_GT(n, kShards * 4) << setting;
  }
}

TEST_F(KilledWriter, ContinuesAfterManyKillsInOneFolder) {
  std::minstd_rand random(3);
  fresh("often");
  for (int kills = 0; kills < 30; ++kills) {
    const int status = run(fmt::format("OUTRIDER_KILL_AT={}", 1 + random() % 7));
    ASSERT_TRUE(status == kKilled || status == 0) << status;
  }
  expect_sound_after_another_run();
}

TEST_F(KilledWriter, ReportsAFullDiskAndContinuesOnceThereIsSpace) {
  for (int n = 1; true; ++n) {
    fresh(fmt::format("full-{}", n));
    const int status = run(fmt::format("OUTRIDER_FULL_AT={}", n));
    if (status == 0) break;
    EXPECT_EQ(status, 2) << n;
    EXPECT_NE(errors().find("No space left on device"), std::string::npos) << errors();
    expect_sound_after_another_run();
  }
}

TEST_F(KilledWriter, MayBeOneOfThree) {
  fresh("three");
  const std::string all = fmt::format("({}) & ({}) & ({}) & wait", command("", "1 3"),
                                      command("OUTRIDER_KILL_AT=8", "2 3"), command("", "3 3"));
  ASSERT_EQ(std::system(all.c_str()), 0);
  EXPECT_EQ(TraceStore(store_).missing(), std::vector{1});
  expect_sound_after_another_run("2 3");
}

}  // namespace
}  // namespace outrider::data
