// Groups that later stages add to a finished store.

#include "data/store/trace_group.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "data/commands/commands.h"
#include "data/store/group_writer.h"
#include "data/store/verify_store.h"
#include "runtime/base/file_hash.h"
#include "tests/data/random_group.h"
#include "tests/data/random_store.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"

namespace outrider::data {
namespace {

using hdf5::NumberType;
using test::expect_input_error;
using test::Outcome;

class Group : public testing::Test {
 protected:
  void add(const GroupSpec& spec, int part = 1, int parts = 1) const {
    GroupWriter writer(store(), spec, part, parts);
    for (const int shard : writer.missing()) test::write_random_group(writer, store(), shard);
  }
  TraceStore store() const { return TraceStore(made_.path); }
  std::string hash(const std::string& name = "draft") const {
    return content_hash(TraceGroup(store(), name).manifest());
  }
  Outcome verify() const {
    return test::run_command(add_verify, {"verify", made_.path.string(), "--quiet"});
  }

  test::RandomStore made_ = test::RandomStore(std::vector<int>{1});
  GroupSpec spec_ = test::random_group_spec();
};

TEST_F(Group, ReadsEveryNumberAndDoesNotChangeTheStore) {
  const std::string before = content_hash(store().manifest());
  std::vector<std::string> files;
  for (const int shard : {0, 1, 2, 3}) files.push_back(file_hash(store().path(shard)));
  add(spec_);
  const TraceStore base = store();
  const TraceGroup group(base, "draft");
  EXPECT_TRUE(group.missing().empty());
  for (const int shard : base.shards()) {
    const auto expected = test::random_group_values(base, shard);
    const hdf5::Reader file = group.open(shard);
    EXPECT_EQ(group.read<float>(file, shard, "tv"), expected.distances);
    EXPECT_EQ(group.read<Bfloat16>(file, shard, "features"), expected.features);
    EXPECT_EQ(group.read<std::int32_t>(file, shard, "length"), expected.lengths);
    EXPECT_EQ(file_hash(base.path(shard)), files[static_cast<std::size_t>(shard)]);
  }
  EXPECT_EQ(content_hash(base.manifest()), before);
  EXPECT_EQ(group_names(base), std::vector<std::string>{"draft"});
  expect_input_error([&] { group.read<float>(group.open(0), 0, "entropy"); }, "group-draft",
                     "no column 'entropy'");
  expect_input_error([&] { group.read<double>(group.open(0), 0, "tv"); }, "/output/tv",
                     "expected float64, found float32");
}

TEST_F(Group, DependsOnItsContentAndNotOnTheWriter) {
  add(spec_);
  const std::string whole = hash();
  std::filesystem::remove_all(made_.path / "group-draft");
  for (const int part : {3, 1}) add(spec_, part, 3);
  EXPECT_NE(hash(), whole);
  EXPECT_NE(verify().code, 0);
  add(spec_, 2, 3);
  EXPECT_EQ(hash(), whole);
  GroupSpec other = spec_;
  other.name = "other";
  add(other);
  EXPECT_EQ(group_names(store()), (std::vector<std::string>{"draft", "other"}));
  EXPECT_NE(hash("other"), whole);
}

TEST_F(Group, IsRefusedForAnotherStoreOrOptions) {
  add(spec_);
  GroupSpec other = spec_;
  other.options[0].second = "b.h5";
  expect_input_error([&] { add(other); }, "group-draft", "--draft was 'a.h5' and is now 'b.h5'");
  other = spec_;
  other.columns[0].width = 2;
  expect_input_error([&] { add(other); }, "--columns was 'output/tv float32 1;", "float32 2;");

  const test::RandomStore begun({}, {40, 12, 1, 1}, 2);
  const TraceStore unfinished(begun.path);
  expect_input_error([&] { GroupWriter(unfinished, spec_); }, "1 of 4 shards are missing");

  // A group's folder in another store.
  const test::RandomStore elsewhere({}, {30, 12, 1, 1});
  std::filesystem::copy(made_.path / "group-draft", elsewhere.path / "group-draft");
  const TraceStore other_store(elsewhere.path);
  expect_input_error([&] { TraceGroup(other_store, "draft"); }, "belongs to another store",
                     "--traces was");
  expect_input_error([&] { TraceGroup(other_store, "none"); }, "group-none");
  EXPECT_EQ(verify_groups(other_store).size(), 1u);
}

TEST_F(Group, AcceptsOnlyNamesAndValuesThatFit) {
  for (const char* name : {"", "../x", "a b", "A"}) {
    GroupSpec wrong = spec_;
    wrong.name = name;
    const TraceStore base = store();
    EXPECT_THROW(GroupWriter(base, wrong), std::logic_error) << name;
    wrong = spec_;
    wrong.columns[0].name = name;
    EXPECT_THROW(GroupWriter(base, wrong), std::logic_error) << name;
  }
  GroupSpec twice = spec_;
  twice.columns.push_back(twice.columns[0]);
  const TraceStore base = store();
  EXPECT_THROW(GroupWriter(base, twice), std::logic_error);
  GroupWriter writer(base, spec_);
  const std::vector<std::span<const std::byte>> too_few(2);
  EXPECT_THROW(writer.write(0, too_few), std::logic_error);
  const std::vector<std::span<const std::byte>> empty(3);
  EXPECT_THROW(writer.write(0, empty), std::logic_error);
}

TEST_F(Group, IsCheckedAndListedWithItsStore) {
  add(spec_);
  const Outcome sound = verify();
  EXPECT_EQ(sound.code, 0) << sound.out;
  EXPECT_NE(sound.out.find("group draft: 4 files are sound, content hash " + hash()),
            std::string::npos)
      << sound.out;
  const Outcome inspected =
      test::run_command(add_inspect, {"inspect", made_.path.string(), "--quiet"});
  EXPECT_EQ(inspected.code, 0);
  for (const std::string& part :
       {std::string("group draft"), std::string("/position/features: 8 bfloat16 a row"),
        std::string("--draft a.h5"), hash()})
    EXPECT_NE(inspected.out.find(part), std::string::npos) << part << inspected.out;

  const std::filesystem::path begun = made_.path / "group-other";
  std::filesystem::create_directory(begun);
  EXPECT_EQ(group_names(TraceStore(made_.path)), std::vector<std::string>{"draft"});
  const Outcome with_begun = verify();
  EXPECT_EQ(with_begun.code, 1);
  EXPECT_NE(with_begun.out.find("group other: was begun and has no manifest; give the same"),
            std::string::npos)
      << with_begun.out;
  std::filesystem::remove(begun);

  const std::filesystem::path file = made_.path / "group-draft" / shard_file_name(2);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(3000).put('\x55');
  const Outcome damaged = verify();
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.out.find("group-draft/shard-00002.h5: damaged: expected hash"),
            std::string::npos)
      << damaged.out;
  std::filesystem::remove(file);
  EXPECT_EQ(verify().code, 1);
}

/// Writes any content and updates its hash in the manifest.
void replace(const std::filesystem::path& folder, int shard, const EncodedShard& encoded) {
  std::ofstream(folder / shard_file_name(shard), std::ios::binary)
      .write(reinterpret_cast<const char*>(encoded.bytes.data()), std::ssize(encoded.bytes));
  Manifest manifest = read_manifest(folder / "manifest.json");
  manifest.shards.at(shard).bytes = encoded.bytes.size();
  manifest.shards.at(shard).file_hash = file_hash(folder / shard_file_name(shard));
  write_manifest(folder / "manifest.json", manifest);
}

TEST_F(Group, DetectsColumnsOfAnotherShape) {
  add(spec_);
  const std::filesystem::path folder = made_.path / "group-draft";
  std::filesystem::copy_file(folder / shard_file_name(1), folder / shard_file_name(0),
                             std::filesystem::copy_options::overwrite_existing);
  EncodedShard shard;
  std::ifstream file(folder / shard_file_name(0), std::ios::binary);
  for (char c = 0; file.get(c);) shard.bytes.push_back(static_cast<std::byte>(c));
  replace(folder, 0, shard);
  const std::vector<std::string> findings = verify_groups(store());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("/shard: expected 0, found 1"), std::string::npos) << findings[0];

  hdf5::Writer wrong;
  std::optional<hdf5::Reader> right(folder / shard_file_name(2));
  for (const char* text : {"/format", "/identity"})
    wrong.add_text(text, right->read_text(text, 1 << 20));
  for (const char* number : {"/version", "/shard"})
    wrong.add_numbers(number, NumberType::kInt32, {}, right->read_bytes(number),
                      hdf5::Packing::kPlain);
  wrong.add<float>("/output/tv", {1, 1}, std::vector<float>{1}, hdf5::Packing::kPlain);
  right.reset();  // the library would confuse an open file with the one that replaces it
  shard.bytes = wrong.finish();
  replace(folder, 2, shard);
  const std::vector<std::string> both = verify_groups(store());
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[1].find("/output/tv: expected"), std::string::npos) << both[1];
}

}  // namespace
}  // namespace outrider::data
