// Damaged, foreign or malicious shards: each gives one clear error.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "data/store/shard_writer.h"
#include "data/store/trace_store.h"
#include "data/store/trace_writer.h"
#include "data/store/verify_store.h"
#include "runtime/base/hash.h"
#include "tests/data/modified_shard.h"
#include "tests/data/random_traces.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {
using Bytes = std::vector<std::byte>;

constexpr ShardPlan kOneShard = {8, 8, 1, 1};

class HostileShard : public testing::Test {
 protected:
  /// Expects the shard to be refused with a message that contains the parts.
  template <typename... Parts>
  void expect_refused(const Parts&... parts) const {
    test::expect_input_error([this] { open(modified_.file()); }, "mine.h5", parts...);
  }
  ShardReader open(const Bytes& file) const {
    ShardReader reader(hdf5::Reader(file, "mine.h5"), identity_, 0);
    for (std::size_t i = 0; i < reader.size(); ++i) reader.trace(i);
    return reader;
  }

  StoreIdentity identity_ = test::small_identity({2});
  Bytes valid_ = encode_shard(identity_, 0, test::random_shard(identity_, kOneShard, 0)).bytes;
  test::ModifiedShard modified_{valid_};
};

TEST_F(HostileShard, IsReadAfterRewritingItUnchanged) {
  EXPECT_EQ(open(modified_.file()).size(), open(valid_).size());
}

TEST_F(HostileShard, LacksADataset) {
  for (const auto& [path, dataset] : test::ModifiedShard(valid_).datasets) {
    modified_ = test::ModifiedShard(valid_);
    modified_.datasets.erase(path);
    expect_refused(path, "expected");
  }
}

TEST_F(HostileShard, HasADatasetOfAnotherType) {
  for (const auto& [path, dataset] : test::ModifiedShard(valid_).datasets) {
    modified_ = test::ModifiedShard(valid_);
    if (dataset.info.is_text) {
      modified_.datasets.erase(path);
      modified_.set<std::int32_t>(path, {1});
    } else if (dataset.info.type == hdf5::NumberType::kFloat64) {
      modified_.set<std::uint64_t>(path, {1});
    } else {
      modified_.set<double>(path, {1});
    }
    expect_refused(path, "expected");
  }
}

TEST_F(HostileShard, HasADatasetOfAnotherRank) {
  for (const auto& [path, dataset] : test::ModifiedShard(valid_).datasets) {
    if (dataset.info.is_text) continue;
    modified_ = test::ModifiedShard(valid_);
    modified_.datasets.at(path).info.dims.push_back(1);
    expect_refused(path, "expected shape", "found [");
  }
}

TEST_F(HostileShard, HasADatasetOfAnotherLength) {
  for (const auto& [path, dataset] : test::ModifiedShard(valid_).datasets) {
    if (dataset.info.dims.empty()) continue;  // one number or text
    modified_ = test::ModifiedShard(valid_);
    auto& shorter = modified_.datasets.at(path);
    const std::size_t row = shorter.bytes.size() / shorter.info.dims[0];
    shorter.info.dims[0] -= 1;
    shorter.bytes.resize(shorter.bytes.size() - row);
    expect_refused("expected");
  }
}

TEST_F(HostileShard, HasOffsetsThatDescendOrExceedTheirValues) {
  for (const char* path :
       {"/trace/id/offsets", "/trace/task/offsets", "/prompt/offsets", "/output/offsets"}) {
    const auto valid = test::ModifiedShard(valid_).get<std::int64_t>(path);
    const std::int64_t end = valid.back();
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::size_t last = valid.size() - 1;
    for (const auto& [index, value] :
         std::vector<std::pair<std::size_t, std::int64_t>>{{0, 1},
                                                           {0, -1},
                                                           {0, kLeast},
                                                           {1, -5},
                                                           {1, kLeast},
                                                           {1, kMost},
                                                           {1, end + 1},
                                                           {2, valid[1] - 1},
                                                           {last, end - 1},
                                                           {last, end + 1},
                                                           {last, kMost}}) {
      modified_ = test::ModifiedShard(valid_);
      modified_.change<std::int64_t>(path, index, value);
      expect_refused(path, "offset");
    }
  }
}

TEST_F(HostileShard, HoldsATraceWithoutTokens) {
  auto offsets = modified_.get<std::int64_t>("/output/offsets");
  offsets[1] = offsets[2];
  modified_.set("/output/offsets", offsets);
  expect_refused("/output/offsets", "offset 2");
}

TEST_F(HostileShard, HoldsValuesOutOfRange) {
  modified_.change<std::uint16_t>("/output/tokens", 3, 300);
  expect_refused("/output/tokens", "from 0 to 299", "300");
  modified_ = test::ModifiedShard(valid_);
  modified_.change<std::uint16_t>("/scores/top_ids", 7, 65535);
  expect_refused("/scores/top_ids", "65535");
  modified_ = test::ModifiedShard(valid_);
  modified_.change<std::uint8_t>("/trace/finish", 0, 3);
  expect_refused("/trace/finish", "from 0 to 2");
  modified_ = test::ModifiedShard(valid_);
  modified_.change<std::uint8_t>("/output/in_loop", 0, 2);
  expect_refused("/output/in_loop", "found 2");
}

TEST_F(HostileShard, BelongsElsewhere) {
  modified_.datasets.at("/format").text = "holiday photos";
  expect_refused("/format", "holiday photos");
  modified_ = test::ModifiedShard(valid_);
  modified_.change<std::int32_t>("/version", 0, 2);
  expect_refused("/version", "reads version 1", "found 2");
  modified_ = test::ModifiedShard(valid_);
  modified_.change<std::int32_t>("/shard", 0, 1);
  expect_refused("/shard", "expected 0, found 1");
  modified_ = test::ModifiedShard(valid_);
  StoreIdentity other = identity_;
  other.options[0].second = "7";
  modified_.datasets.at("/identity").text = identity_text(other);
  expect_refused("another store", "--max-new was '40' and is now '7'");
  for (const char* text : {"", "{", "[]", "{\"vocab\": 3}"}) {
    modified_.datasets.at("/identity").text = text;
    expect_refused("identity");
  }
}

TEST_F(HostileShard, IsNoHdf5File) {
  for (const std::string text : {"", "short", "\x89HDF\r\n\x1a\n and then nothing of the kind"}) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    test::expect_input_error([&] { hdf5::Reader(bytes, "mine.h5"); }, "mine.h5",
                             "not an HDF5 file");
  }
}

/// The same in a store with hashes of files.
class DamagedStore : public testing::Test {
 protected:
  DamagedStore() {
    TraceWriter writer(folder_.path(), identity_, kOneShard);
    writer.write(0, test::random_shard(identity_, kOneShard, 0));
  }
  Bytes read() const {
    std::ifstream file(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
  }
  void write(const Bytes& bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  /// Writes a shard and updates its hashes in the manifest.
  void replace(const Bytes& bytes) const {
    write(bytes);
    Manifest manifest = read_manifest(folder_.path() / "manifest.json");
    manifest.shards.at(0).bytes = bytes.size();
    manifest.shards.at(0).file_hash = hash_hex(bytes);
    write_manifest(folder_.path() / "manifest.json", manifest);
  }
  std::vector<std::string> findings() const {
    return verify_store(TraceStore(folder_.path()), [](std::int64_t) {});
  }
  /// Expects one finding that contains `part`.
  void expect_found(const std::string& part) const {
    const std::vector<std::string> found = findings();
    ASSERT_EQ(found.size(), 1u) << part;
    EXPECT_NE(found[0].find(part), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("shard-00000.h5"), std::string::npos) << found[0];
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "shard-00000.h5";
  StoreIdentity identity_ = test::small_identity();
};

TEST_F(DamagedStore, IsDetectedForEveryFlippedBitAndEveryLostByte) {
  const Bytes valid = read();
  EXPECT_EQ(findings(), std::vector<std::string>{});
  for (std::size_t at = 0; at < valid.size(); at += 997) {
    Bytes flipped = valid;
    flipped[at] ^= std::byte{1} << (at % 8);
    write(flipped);
    expect_found("damaged: expected hash");
    write(Bytes(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(at)));
    expect_found("damaged: expected");
  }
  std::filesystem::remove(path_);
  expect_found("No such file");
}

TEST_F(DamagedStore, IsDetectedByImpossibleValues) {
  const test::ModifiedShard valid(read());
  const auto expect_value = [&](const std::string& path, std::size_t index, float value) {
    test::ModifiedShard modified = valid;
    auto& bytes = modified.datasets.at(path).bytes;
    std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
    replace(modified.file());
    const std::vector<std::string> found = findings();
    ASSERT_EQ(found.size(), 2u) << path << value;  // the content's hash, and the value
    EXPECT_NE(found[0].find("content hash"), std::string::npos) << found[0];
    EXPECT_NE(found[1].find("/scores"), std::string::npos) << found[1];
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {nan, -1.0f, 100.0f}) expect_value("/scores/entropy", 2, value);
  for (const float value : {nan, -0.1f, 1.5f}) expect_value("/scores/tail_mass", 2, value);
  for (const float value : {nan, 0.5f, -0.0f}) expect_value("/scores/top_log_probs", 9, value);
}

TEST_F(DamagedStore, IsDetectedByFlagsOfMissingLoops) {
  test::ModifiedShard modified(read());
  auto flags = modified.get<std::uint8_t>("/output/in_loop");
  flags[0] ^= 1;
  modified.set("/output/in_loop", flags);
  replace(modified.file());
  EXPECT_EQ(findings().size(), 2u);
  EXPECT_NE(findings()[1].find("/output/in_loop"), std::string::npos);
}

TEST_F(DamagedStore, IsRefusedForItsManifest) {
  const auto expect_refused = [&](const std::string& from, const std::string& to,
                                  const std::string& part) {
    std::ifstream file(folder_.path() / "manifest.json");
    const std::string valid{std::istreambuf_iterator<char>(file), {}};
    std::string text = valid;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(folder_.path() / "manifest.json") << text;
    test::expect_input_error([&] { TraceStore store(folder_.path()); }, "manifest.json", part);
    std::ofstream(folder_.path() / "manifest.json") << valid;
  };
  expect_refused("outrider traces", "something else", "not a manifest of traces");
  expect_refused("\"version\": 1", "\"version\": 2", "expected version 1, found 2");
  expect_refused("\"shard\": 0", "\"shard\": 1", "shard 1");
  expect_refused("\"shard\": 0", "\"shard\": -1", "shard -1");
  expect_refused("\"vocab\": 300", "\"vocab\": 0", "out of range");
  expect_refused("\"top_k\": 4", "\"top_k\": \"four\"", "'top_k': expected a whole number");
  expect_refused("\"top_k\": 4", "\"top_k\": 4e300", "'top_k': expected a whole number");
  expect_refused("\"traces\": ", "\"traces\": 0.", "'traces': expected a whole number");
  expect_refused("\"model_hash\": \"", "\"model_hash\": 1, \"m\": \"",
                 "expected a store's identity");
  expect_refused("\"conversations\": 8", "\"conversations\": -8", "out of range");
  // The list of missing shards would have a thousand million entries.
  expect_refused("\"conversations\": 8", "\"conversations\": 8589934592", "out of range");
  expect_refused("\"traces\":", "\"tracks\":", "traces");
  expect_refused("{", "", "expected a manifest");
}

}  // namespace
}  // namespace outrider::data
