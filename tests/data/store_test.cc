#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "data/store/shard_writer.h"
#include "data/store/trace_store.h"
#include "data/store/trace_writer.h"
#include "data/store/verify_store.h"
#include "runtime/base/text_file.h"
#include "runtime/engine/tap_request.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/data/random_traces.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {

constexpr std::int64_t kConversations = 21;
constexpr int kPerShard = 4;  // six shards, the last one short

class Store : public testing::Test {
 protected:
  static ShardPlan plan(int part = 1, int parts = 1) {
    return {kConversations, kPerShard, part, parts};
  }
  void write_missing(const StoreIdentity& identity, const ShardPlan& plan) const {
    TraceWriter writer(path(), identity, plan);
    for (const int shard : writer.missing()) {
      writer.write(shard, test::random_shard(identity, plan, shard));
    }
  }
  std::filesystem::path path() const { return folder_.path() / "store"; }
  std::string hash() const { return content_hash(TraceStore(path()).manifest()); }

  test::TemporaryFolder folder_;
  StoreIdentity identity_ = test::small_identity();
};

TEST_F(Store, ReadsEveryTraceBitForBit) {
  // 65,536 is the largest vocabulary whose ids take two bytes.
  for (const int vocab : {300, 65'536, 65'537, 200'000}) {
    for (const std::vector<int>& layers : {std::vector<int>{}, std::vector<int>{0, 2, -1}}) {
      const test::TemporaryFolder folder;
      StoreIdentity identity = test::small_identity(layers);
      identity.vocab = vocab;
      TraceWriter writer(folder.path(), identity, plan());
      for (const int shard : writer.missing()) {
        writer.write(shard, test::random_shard(identity, plan(), shard));
      }
      const TraceStore store(folder.path());
      EXPECT_EQ(store.shards().size(), 6u);
      EXPECT_TRUE(store.missing().empty());
      for (const int shard : store.shards()) {
        const ShardReader reader = store.open(shard);
        const std::vector<Trace> expected = test::random_shard(identity, plan(), shard);
        ASSERT_EQ(reader.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          test::expect_equal(reader.trace(i), expected[i]);
        }
      }
    }
  }
}

TEST_F(Store, RecordsEverySeed) {
  StoreIdentity identity = test::small_identity();
  ASSERT_EQ(identity.options.back().first, "seed");
  EXPECT_EQ(seed_of(identity), 1u);
  identity.options.back().second = "18446744073709551615";
  EXPECT_EQ(seed_of(identity), 18446744073709551615u);
  identity.options.back().second = "-1";
  EXPECT_FALSE(seed_of(identity).has_value());
  identity.options.pop_back();
  EXPECT_FALSE(seed_of(identity).has_value());
}

/// Paths of all datasets below a group.
TEST_F(Store, HasExactlyTheDatasetsOfItsReadme) {
  std::set<std::string> described;
  std::istringstream readme(read_text_file(test::source_path("data/README.md"), 1 << 20));
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("| `/")) continue;
    const std::string path = line.substr(3, line.find('`', 3) - 3);
    described.insert(path == "/states/layer_N" ? "/states/layer_2" : path);
  }
  identity_ = test::small_identity({2, engine::kFinalNorm});
  write_missing(identity_, plan());
  const auto held = dataset_paths(hdf5::Reader(path() / "shard-00000.h5"));
  EXPECT_EQ(std::set<std::string>(held.begin(), held.end()), described);
}

/// What h5dump, another program, reads of a dataset of numbers.
std::vector<double> dumped(const std::filesystem::path& file, const std::string& dataset) {
  const std::string command =
      "h5dump -y -w 0 -m %.9g -d " + dataset + " '" + file.string() + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << text;
  const std::size_t begin = text.find("DATA {");
  std::vector<double> numbers;
  if (begin == std::string::npos) return numbers;
  std::string data = text.substr(begin + 6, text.find('}', begin) - begin - 6);
  std::replace(data.begin(), data.end(), ',', ' ');
  std::istringstream words(data);
  for (double number; words >> number;) numbers.push_back(number);
  return numbers;
}

TEST_F(Store, IsReadByAnotherProgramAsItWasWritten) {
  identity_ = test::small_identity({2});
  write_missing(identity_, plan());
  const auto file = path() / "shard-00000.h5";
  const ShardReader reader(file, identity_, 0);
  const ShardColumns& columns = reader.columns();
  const auto expect_dumped = [&](const std::string& dataset, const auto& values) {
    const std::vector<double> found = dumped(file, dataset);
    ASSERT_EQ(found.size(), values.size()) << dataset;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(static_cast<std::decay_t<decltype(values[0])>>(found[i]), values[i])
          << dataset << " " << i;
  };
  expect_dumped("/output/tokens", columns.outputs.values);
  expect_dumped("/output/offsets", columns.outputs.offsets);
  expect_dumped("/prompt/tokens", columns.prompts.values);
  expect_dumped("/scores/entropy", columns.entropies);
  expect_dumped("/scores/top_ids", columns.top_ids);
  expect_dumped("/scores/top_log_probs", columns.top_log_probs);
  expect_dumped("/trace/finish", columns.finishes);
  std::vector<float> states;
  for (std::size_t i = 0; i < reader.size(); ++i)
    for (const Bfloat16 value : reader.states(i, 2)) states.push_back(bfloat16_to_float(value));
  expect_dumped("/states/layer_2", states);
}

TEST_F(Store, IsTheSameForAnyOrderOfWritingShards) {
  write_missing(identity_, plan());
  const std::string straight = hash();
  const std::string bytes = read_text_file(path() / "shard-00003.h5", 1 << 24);
  std::filesystem::remove_all(path());
  {
    TraceWriter writer(path(), identity_, plan());
    for (const int shard : {5, 3, 0, 1, 4, 2}) {
      writer.write(shard, test::random_shard(identity_, plan(), shard));
    }
  }
  EXPECT_EQ(hash(), straight);
  EXPECT_EQ(read_text_file(path() / "shard-00003.h5", 1 << 24), bytes);
}

TEST_F(Store, HashesItsContent) {
  const std::vector<Trace> traces = test::random_shard(identity_, plan(), 0);
  const std::string hash = encode_shard(identity_, 0, traces).content_hash;
  std::vector<Trace> changed = traces;
  changed[1].top_log_probs[3] = std::nextafter(changed[1].top_log_probs[3], -100.0f);
  EXPECT_NE(encode_shard(identity_, 0, changed).content_hash, hash);
  changed = traces;
  changed[0].id += "x";
  EXPECT_NE(encode_shard(identity_, 0, changed).content_hash, hash);
  EXPECT_EQ(encode_shard(identity_, 0, traces).content_hash, hash);
}

TEST_F(Store, ContinuesWhereItWasInterrupted) {
  {
    TraceWriter writer(path(), identity_, plan());
    writer.write(1, test::random_shard(identity_, plan(), 1));
    writer.write(4, test::random_shard(identity_, plan(), 4));
  }
  EXPECT_EQ(TraceStore(path()).missing(), (std::vector{0, 2, 3, 5}));
  EXPECT_EQ(TraceWriter(path(), identity_, plan()).missing(), (std::vector{0, 2, 3, 5}));
}

TEST_F(Store, IsWrittenInThreePartsWhichCanBeBegunAgain) {
  write_missing(identity_, plan());
  const std::string straight = hash();
  std::filesystem::remove_all(path());
  {
    TraceWriter first(path(), identity_, plan(1, 3));
    TraceWriter third(path(), identity_, plan(3, 3));
    TraceWriter second(path(), identity_, plan(2, 3));
    EXPECT_EQ(second.missing(), (std::vector{1, 4}));
    for (const int shard : third.missing()) {
      third.write(shard, test::random_shard(identity_, plan(), shard));
    }
    second.write(4, test::random_shard(identity_, plan(), 4));
    first.write(0, test::random_shard(identity_, plan(), 0));
  }
  EXPECT_EQ(TraceStore(path()).missing(), (std::vector{1, 3}));
  for (const int part : {1, 2}) write_missing(identity_, plan(part, 3));
  EXPECT_TRUE(TraceStore(path()).missing().empty());
  EXPECT_EQ(hash(), straight);
}

TEST_F(Store, APipeForAManifestIsRefusedAndNotWaitedFor) {
  std::filesystem::create_directory(path());
  ASSERT_EQ(::mkfifo((path() / "manifest.json").c_str(), 0600), 0);
  test::expect_input_error([&] { TraceStore{path()}; }, "manifest.json",
                           "expected a file, found a pipe");
}

TEST_F(Store, LetsNoTwoProcessesWriteOneShard) {
  const TraceWriter writer(path(), identity_, plan(2, 3));  // shards 1 and 4
  test::expect_input_error([&] { TraceWriter(path(), identity_, plan(2, 3)); }, "another process",
                           "shard 1", "--shard");
  EXPECT_NO_THROW(TraceWriter(path(), identity_, plan(3, 3)));
}

TEST_F(Store, KeepsTheNumberOfPartsThatItWasBegunWith) {
  EXPECT_EQ(parts_of_store(path()), 0);
  write_missing(identity_, plan(2, 3));
  EXPECT_EQ(parts_of_store(path()), 3);
  for (const ShardPlan& other : {plan(), plan(2, 4)})
    test::expect_input_error([&] { TraceWriter(path(), identity_, other); },
                             path().string() + ": was begun with --shard I/3, now with --shard I/" +
                                 std::to_string(other.parts));
  // As a merge leaves it that is killed before it has removed the parts' manifests.
  std::filesystem::copy(path() / "manifest-2-of-3.json", path() / "manifest-1-of-2.json");
  std::string text = read_text_file(path() / "manifest-1-of-2.json", 1 << 20);
  text.replace(text.find("\"parts\": 3"), 10, "\"parts\": 2");
  std::ofstream(path() / "manifest-1-of-2.json") << text;
  test::expect_input_error([&] { TraceWriter(path(), identity_, plan(2, 3)); },
                           "has manifests of 2 and of 3 parts; data merge");
}

TEST_F(Store, IsNotContinuedWithOtherOptionsAndNamesTheDifference) {
  write_missing(identity_, plan());
  const auto refused = [&](const StoreIdentity& identity, const ShardPlan& other,
                           const std::string& what) {
    test::expect_input_error([&] { TraceWriter(path(), identity, other); }, path().string(), what);
  };
  StoreIdentity other = identity_;
  other.options[0].second = "50";
  refused(other, plan(), "--max-new was '40' and is now '50'");
  other = identity_;
  other.options.pop_back();
  refused(other, plan(), "--seed was '1' and is now not given");
  other = identity_;
  other.options.emplace_back("top-p", "0.9");
  refused(other, plan(), "--top-p was not given and is now '0.9'");
  other = identity_;
  other.model_hash = "beef";
  refused(other, plan(), "the model was 0123 (small) and is now beef (small)");
  other = identity_;
  other.tokenizer_hash = "beef";
  refused(other, plan(), "the tokenizer was 4567 and is now beef");
  refused(test::small_identity({1, 2}), plan(), "the layers stored was none and is now 1,2");
  refused(identity_, {kConversations + 1, kPerShard, 1, 1}, "21 conversations and are now 22");
  refused(identity_, {kConversations, kPerShard + 1, 1, 1}, "4 conversations and has now 5");
  other = identity_;
  other.model_name = "renamed";
  EXPECT_NO_THROW(TraceWriter(path(), other, plan()));
}

TEST_F(Store, IsNotContinuedByArithmeticOfOtherBits) {
  identity_.logits_hash = "00ff";
  write_missing(identity_, plan(1, 2));
  EXPECT_EQ(TraceStore(path()).identity().logits_hash, "00ff");
  StoreIdentity other = identity_;
  other.logits_hash = "00fe";
  for (const ShardPlan& part : {plan(1, 2), plan(2, 2)})
    test::expect_input_error(
        [&] { TraceWriter(path(), other, part); }, path().string(),
        "the arithmetic, by the hash of a fixed text's logits, was 00ff and is now 00fe");
  write_missing(identity_, plan(2, 2));
  EXPECT_EQ(verify_store(TraceStore(path()), [](std::int64_t) {}), std::vector<std::string>());
}

/// Bits are the same on every device, so each shard says where it was computed and none is refused for it.
TEST_F(Store, IsContinuedOnAnotherDeviceAndSaysWhereEachShardIsFrom) {
  write_missing(identity_, plan());
  const std::string straight = hash();
  std::filesystem::remove_all(path());
  const engine::Place card = {engine::Place::Kind::kGpu, "a card", ""},
                      processor = {engine::Place::Kind::kProcessor, "a core", ""};
  for (const auto& [place, last] : {std::pair{card, 2}, std::pair{processor, 5}}) {
    TraceWriter writer(path(), identity_, plan(), place);
    for (const int shard : writer.missing())
      if (shard <= last) writer.write(shard, test::random_shard(identity_, plan(), shard));
  }
  EXPECT_EQ(hash(), straight);
  for (const auto& [shard, entry] : read_manifest(path() / "manifest.json").shards)
    EXPECT_EQ(entry.device + " " + entry.machine, shard <= 2 ? "cuda a card" : "cpu a core")
        << shard;
}

TEST_F(Store, IsReadWhereNoDeviceWasRecorded) {
  write_missing(identity_, plan());
  const std::string whole = read_text_file(path() / "manifest.json", 1 << 20);
  auto json = nlohmann::ordered_json::parse(whole);
  for (auto& shard : json["shards"])
    for (const char* key : {"device", "machine"}) EXPECT_EQ(shard.erase(key), 1u);
  const Manifest manifest = parse_manifest(json.dump(), "manifest.json");
  EXPECT_EQ(manifest.shards.at(0).device, "");
  EXPECT_EQ(manifest_text(manifest), whole);
}

TEST_F(Store, IsReadWithItsGroups) {
  write_missing(identity_, plan());
  std::filesystem::create_directory(path() / "group-a");
  std::filesystem::create_directory(path() / "other");
  const std::vector<InputPath> inputs = store_at(path().string());
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].path, path());
  EXPECT_EQ(inputs[1].path, path() / "group-a");
  for (const InputPath& input : inputs) {
    for (const char* name : {"manifest.json", "shard-00003.h5", "shard-99999.h5"})
      EXPECT_TRUE(input.is_read(name)) << name;
    EXPECT_FALSE(input.is_read("summary.json"));
  }
}

TEST_F(Store, OfAnEarlierVersionIsRefusedWithTheCommandThatMakesItAnew) {
  write_missing(identity_, plan());
  const std::filesystem::path manifest = path() / "manifest.json";
  const std::string whole = read_text_file(manifest, 1 << 20);
  for (const std::string key : {"logits_hash", "model_name"}) {
    std::string older = whole;
    older.replace(older.find(key), key.size(), "other");
    std::ofstream(manifest, std::ios::trunc) << older;
    for (const auto& use : std::vector<std::function<void()>>{
             [&] { const TraceStore store(path()); },
             [&] { const TraceWriter writer(path(), identity_, plan()); }})
      test::expect_input_error(use, manifest.string(), "has no " + key,
                               "`data traces` makes the traces anew in another folder");
  }
}

TEST_F(Store, HasContentThatDoesNotDependOnTheHashOfLogits) {
  write_missing(identity_, plan());
  const std::string before = hash();
  std::filesystem::remove_all(path());
  identity_.logits_hash = "00ff";
  write_missing(identity_, plan());
  EXPECT_EQ(hash(), before);
}

TEST_F(Store, DoesNotDependOnTheModelsFileName) {
  write_missing(identity_, plan());
  const std::string before = hash();
  const std::string bytes = read_text_file(path() / "shard-00003.h5", 1 << 24);
  std::filesystem::remove_all(path());
  identity_.model_name = "renamed";
  write_missing(identity_, plan());
  EXPECT_EQ(hash(), before);
  EXPECT_EQ(read_text_file(path() / "shard-00003.h5", 1 << 24), bytes);
  EXPECT_EQ(TraceStore(path()).identity().model_name, "renamed");
}

TEST_F(Store, IsNotStartedWithMoreShardsThanReadersAccept) {
  test::expect_input_error(
      [&] {
        TraceWriter(path(), identity_, {1 << 30, 1, 1, 1});
      },
      path().string(), "more than 1048576 shards");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Store, IsNotStartedAmongOtherFiles) {
  std::filesystem::create_directories(path());
  std::ofstream(path() / "thesis.tex") << "words";
  test::expect_input_error([&] { TraceWriter(path(), identity_, plan()); }, "thesis.tex");
  EXPECT_FALSE(std::filesystem::exists(path() / "manifest.json"));
  test::expect_input_error([&] { TraceStore store(path()); }, path().string(), "no manifest");
  test::expect_input_error([&] { TraceStore store(path() / "absent"); }, "absent", "No such file");
}

TEST_F(Store, RefusesManifestsOfTwoStoresInOneFolder) {
  write_missing(identity_, plan(1, 2));
  StoreIdentity other = identity_;
  other.options[1].second = "2";
  const test::TemporaryFolder elsewhere;
  { TraceWriter writer(elsewhere.path(), other, plan(2, 2)); }
  std::filesystem::copy(elsewhere.path() / "manifest-2-of-2.json", path());
  test::expect_input_error([&] { TraceStore store(path()); }, "manifest-2-of-2.json",
                           "--seed was '1' and is now '2'");
}

}  // namespace
}  // namespace outrider::data
