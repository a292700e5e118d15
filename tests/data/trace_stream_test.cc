#include "data/reader/trace_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "data/reader/state_cache.h"
#include "data/store/trace_writer.h"
#include "runtime/model/identity.h"
#include "tests/data/random_traces.h"
#include "tests/inference/tiny_target.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::data {
namespace {

constexpr ShardPlan kTenShards = {40, 4, 1, 1};  // ten shards

class Stream : public testing::Test {
 protected:
  Stream() {
    TraceWriter writer(folder_.path(), identity_, kTenShards);
    for (const int shard : writer.missing())
      writer.write(shard, test::random_shard(identity_, kTenShards, shard));
  }

  using Name = std::tuple<std::string, int, std::uint64_t>;
  static Name name(const Trace& trace) { return {trace.id, trace.turn, trace.sequence_seed}; }
  static std::vector<Name> names(const std::vector<Trace>& traces) {
    std::vector<Name> all;
    for (const Trace& trace : traces) all.push_back(name(trace));
    return all;
  }
  /// One epoch, in batches of one trace.
  static std::vector<Name> epoch(TraceStream& stream) {
    std::vector<Name> all;
    const std::int64_t number = stream.position().epoch;
    while (stream.position().epoch == number)
      for (const Name& name : names(stream.next())) all.push_back(name);
    return all;
  }

  test::TemporaryFolder folder_;
  StoreIdentity identity_ = test::small_identity({0, engine::kFinalNorm});
};

TEST_F(Stream, GivesEveryTraceOncePerEpochInAnOrderByItsSeed) {
  const TraceStore store(folder_.path());
  std::set<Name> expected;
  for (int shard = 0; shard < kTenShards.shards(); ++shard)
    for (const Name& name : names(test::random_shard(identity_, kTenShards, shard)))
      expected.insert(name);
  TraceStream stream(store, {.seed = 1, .batch = 3, .window = 4}, nullptr);
  const std::vector<Name> first = epoch(stream);
  const std::vector<Name> second = epoch(stream);
  EXPECT_EQ(static_cast<std::int64_t>(first.size()), stream.size());
  EXPECT_EQ(first.size(), expected.size());
  EXPECT_EQ(std::set<Name>(first.begin(), first.end()), expected);
  EXPECT_EQ(std::set<Name>(second.begin(), second.end()), expected);
  EXPECT_NE(first, second);
  TraceStream again(store, {.seed = 1, .batch = 5, .window = 4}, nullptr);
  EXPECT_EQ(epoch(again), first);
  TraceStream other(store, {.seed = 2, .batch = 3, .window = 4}, nullptr);
  EXPECT_NE(epoch(other), first);
}

TEST_F(Stream, ResumesFromAnyPosition) {
  const TraceStore store(folder_.path());
  const StreamOptions options{.seed = 7, .batch = 4, .window = 3};
  TraceStream straight(store, options, nullptr);
  for (int step = 0; step < 40; ++step) {
    TraceStream resumed(store, options, nullptr);
    resumed.seek(straight.position());
    EXPECT_EQ(resumed.position(), straight.position());
    EXPECT_EQ(names(resumed.next()), names(straight.next())) << "step " << step;
  }
  EXPECT_GT(straight.position().epoch, 1);
  test::expect_input_error([&] { straight.seek({0, straight.size()}); }, "expected a trace from 0");
}

TEST_F(Stream, GivesTheTracesOfOneSubsetOnly) {
  const TraceStore store(folder_.path());
  TraceStream whole(store, {.batch = 1000}, nullptr);
  std::map<Subset, std::set<Name>> expected;
  const SplitOptions split{.seed = 5, .validation = 0.3, .test = 0.3};
  for (const Trace& trace : whole.next()) expected[subset_of(trace.id, split)].insert(name(trace));
  ASSERT_EQ(expected.size(), 3u);
  for (const auto& [subset, names_of_it] : expected) {
    const StreamOptions options{
        .seed = 1, .batch = 4, .window = 2, .subset = subset, .split = split};
    TraceStream stream(store, options, nullptr);
    EXPECT_EQ(static_cast<std::size_t>(stream.size()), names_of_it.size());
    const std::vector<Name> first = epoch(stream);
    EXPECT_EQ(first.size(), names_of_it.size());
    EXPECT_EQ(std::set<Name>(first.begin(), first.end()), names_of_it);
    TraceStream resumed(store, options, nullptr);
    resumed.seek({1, 3});
    stream.seek({1, 0});
    const std::vector<Name> second = epoch(stream);
    EXPECT_EQ(epoch(resumed), std::vector<Name>(second.begin() + 3, second.end()));
  }
}

TEST_F(Stream, RefusesAStoreWithoutTraces) {
  const TraceStore store(folder_.path());
  const SplitOptions all{.validation = 0, .test = 0};
  test::expect_input_error(
      [&] { TraceStream(store, {.subset = Subset::kTest, .split = all}, nullptr); },
      "has no traces of test to read");
  EXPECT_THROW(TraceStream(store, {.window = 0}, nullptr), std::logic_error);
  EXPECT_THROW(TraceStream(store, {.batch = 0}, nullptr), std::logic_error);
}

TEST_F(Stream, GivesTheTracesAsWrittenWithStoredStates) {
  const TraceStore store(folder_.path());
  const auto states = stored_states(store, identity_.layers);
  TraceStream stream(store, {.batch = 1000, .window = 10}, states.get());
  std::map<Name, Trace> expected;
  for (int shard = 0; shard < kTenShards.shards(); ++shard)
    for (const Trace& trace : test::random_shard(identity_, kTenShards, shard))
      expected[name(trace)] = trace;
  for (const Trace& trace : stream.next()) test::expect_equal(trace, expected.at(name(trace)));
  EXPECT_TRUE(has_states(store, identity_.layers));
  EXPECT_FALSE(has_states(store, {identity_.layers.front(), 29}));
  test::expect_input_error(
      [&] {
        stored_states(store, {identity_.layers.front(), 29});
      },
      "expected stored states at /states/layer_29, found none");
}

/// States computed one token at a time.
std::vector<LayerStates> states_one_by_one(engine::Engine& target, const std::vector<int>& layers,
                                           const Trace& trace) {
  std::vector<Token> tokens = trace.prompt_tokens;
  tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end());
  std::vector<LayerStates> all;
  for (const int layer : layers) all.push_back({layer, {}});
  const auto cache = target.make_cache(static_cast<int>(tokens.size()));
  for (std::size_t i = 0; i < trace.positions(); ++i) {
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.request.layers = layers;
    pass.rows = {{tokens[i], 0, engine::Row::kCommitted, true}};
    target.forward(pass);
    cache->commit(std::vector<int>{0});
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (const float x : pass.observed.state(layers[l], 0))
        all[l].values.push_back(float_to_bfloat16(x));
  }
  return all;
}

/// The identity of a store made by the target.
StoreIdentity identity_of(const inference::Target& target, std::vector<int> layers) {
  StoreIdentity identity = test::small_identity(std::move(layers));
  identity.model_hash = model::model_hash(target.model());
  identity.top_k = 0;
  identity.width = target.model().config.width;
  identity.vocab = target.model().config.vocab;
  identity.options.emplace_back("numerics", target.engine().numerics_name());
  return identity;
}

TEST(States, RecomputedAreTheStoredOnesBitForBit) {
  test::TinyTarget tiny;
  const StoreIdentity identity = identity_of(tiny.target(), {0, 1, engine::kFinalNorm});
  std::vector<Trace> traces = test::random_shard(test::small_identity(), kTenShards, 0);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    Trace& trace = traces[i];
    const int length = static_cast<int>(trace.prompt_tokens.size()) + 70;  // several chunks
    trace.prompt_tokens = test::random_tokens(length, identity.vocab, i);
    trace.output_tokens =
        test::random_tokens(static_cast<int>(trace.output_tokens.size()), identity.vocab, 100 + i);
    trace.loss_mask.assign(trace.prompt_tokens.size() + trace.output_tokens.size(), 1);
    trace.top_ids.clear();
    trace.top_log_probs.clear();
    trace.states = states_one_by_one(tiny.target().engine(), identity.layers, trace);
  }
  const test::TemporaryFolder folder;
  TraceWriter(folder.path(), identity, {4, 4, 1, 1}).write(0, traces);
  const TraceStore store(folder.path());
  const auto stored = stored_states(store, identity.layers);
  const auto recomputed = recomputed_states(store, tiny.target(), identity.layers);
  TraceStream read(store, {.batch = 100}, stored.get());
  TraceStream made(store, {.batch = 100}, recomputed.get());
  const std::vector<Trace> one = read.next();
  const std::vector<Trace> other = made.next();
  ASSERT_EQ(one.size(), traces.size());
  for (std::size_t i = 0; i < one.size(); ++i) test::expect_equal(one[i], other[i]);
}

/// Random states, and how often they were asked for.
class CountedStates : public StateSource {
 public:
  std::vector<LayerStates> states(const ShardReader&, std::size_t, const Trace& trace) override {
    ++calls;
    const auto width = static_cast<std::size_t>(test::small_identity().width);
    std::vector<LayerStates> all(2);
    for (std::size_t l = 0; l < 2; ++l) {
      all[l].layer = l == 0 ? 1 : engine::kFinalNorm;
      for (std::size_t i = 0; i < trace.positions() * width; ++i)
        all[l].values.push_back(float_to_bfloat16(
            static_cast<float>(trace.sequence_seed % 1000 + l) + static_cast<float>(i) / 8));
    }
    return all;
  }
  int calls = 0;
};

TEST_F(Stream, CachedStatesAreTheComputedOnesAndComputedOnce) {
  const TraceStore store(folder_.path());
  const test::TemporaryFolder folder;
  CountedStates computed;
  const std::vector<int> layers = {1, engine::kFinalNorm};
  StateCache cache(store, folder.path() / "states", layers, computed);
  EXPECT_TRUE(cache_at((folder.path() / "states").string()).front().is_read("mine.h5"));
  EXPECT_EQ(cache.missing(), store.shards());
  std::int64_t positions = 0;
  for (const int shard : store.shards()) positions += cache.positions(shard);
  EXPECT_EQ(cache.bytes(), positions * store.identity().width * 2 * 2);
  cache.fill(store.shards().front());
  EXPECT_EQ(cache.missing().size(), store.shards().size() - 1);
  TraceStream cached(store, {.batch = 1000, .window = 10}, &cache);
  const std::vector<Trace> found = cached.next();
  EXPECT_EQ(computed.calls, static_cast<int>(found.size()));
  EXPECT_TRUE(cache.missing().empty());
  TraceStream plain(store, {.batch = 1000, .window = 10}, &computed);
  const std::vector<Trace> expected = plain.next();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) test::expect_equal(found[i], expected[i]);

  // Another reader finds the files; for other layers they are others.
  const int calls = computed.calls;
  StateCache again(store, folder.path() / "states", layers, computed);
  EXPECT_TRUE(again.missing().empty());
  EXPECT_EQ(StateCache(store, folder.path() / "states", {1}, computed).missing(), store.shards());
  TraceStream(store, {.batch = 5}, &again).next();
  EXPECT_EQ(computed.calls, calls);
  const auto for_each_file = [&](const std::function<void(const std::filesystem::path&)>& change) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "states"))
      change(entry.path());
  };
  for_each_file([](const std::filesystem::path& file) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2)).put('\x55');
  });
  const auto refused = [&] {
    test::expect_input_error([&] { TraceStream(store, {.batch = 5}, &again).next(); },
                             (folder.path() / "states").string(), "damaged",
                             "remove it, and it is computed again");
  };
  refused();
  for_each_file([](const auto& file) { std::filesystem::resize_file(file, 100); });
  refused();
  // Without a checksum nothing can be told of one; it is computed again.
  for_each_file([](const auto& file) { std::filesystem::resize_file(file, 0); });
  EXPECT_EQ(again.missing(), store.shards());
  TraceStream(store, {.batch = 5}, &again).next();
  EXPECT_GT(computed.calls, calls);
}

TEST(States, AreRecomputedOnlyByTheTargetThatMadeTheStore) {
  test::TinyTarget tiny;
  const auto refused = [&](const StoreIdentity& identity, const std::string& what) {
    const test::TemporaryFolder folder;
    { const TraceWriter writer(folder.path(), identity, kTenShards); }
    const TraceStore store(folder.path());
    test::expect_input_error([&] { (void)recomputed_states(store, tiny.target(), {0}); },
                             folder.path().string(), what);
  };
  StoreIdentity other = identity_of(tiny.target(), {});
  other.model_hash = "beef";  // of the same width
  refused(other, "expected beef, that of small, which generated");
  other = identity_of(tiny.target(), {});
  other.options.back().second = "f32";
  refused(other, "was made with numerics f32, not int8");
  other.options.pop_back();
  refused(other, "was made with numerics unknown");
}

}  // namespace
}  // namespace outrider::data
