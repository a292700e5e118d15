// What drafters observe of a replayed answer is what they observed while it was decoded.

#include "calibrate/replay/observations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "calibrate/replay/recomputed.h"
#include "calibrate/replay/recorded_states.h"
#include "calibrate/replay/replay.h"
#include "runtime/base/bfloat16.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

constexpr int kLongPrompt = 100;  // more than one pass
const std::vector<int> kLayers = {1, 0, engine::kFinalNorm};
const std::vector<engine::Head> kHeads = {{2, 1}, {1, 3}};

/// Numbers of one row.
struct SeenRow {
  Token token;
  std::vector<float> states;            // of all requested layers
  std::vector<std::int32_t> best_keys;  // of all heads
  // Of rows from the prompt's last one on:
  std::vector<float> logits;
  std::vector<float> attention;  // [heads, positions]

  bool operator==(const SeenRow&) const = default;
};

/// Of a prompt's rows before the last one only what is wanted of these as well.
using Seen = std::map<int, SeenRow>;  // by position

/// Notes all that it observes, and drafts as prompt lookup does.
class Observer : public draft::Drafter {
 public:
  explicit Observer(engine::TapRequest wants) : wants_(std::move(wants)) {}

  Seen seen;

  std::string name() const override { return "observer"; }
  int begin(const draft::TextStart& /*text*/) override {
    seen.clear();
    return 0;
  }
  draft::DrafterTraits traits() const override { return {.wants = wants_}; }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    for (const int row : rows.kept) {
      const int position = pass.observed.position(row);
      const bool drafts_after = position + 1 >= kLongPrompt;
      if (!drafts_after && wants_.before_last_row().empty()) continue;
      SeenRow one;
      one.token = pass.rows[static_cast<std::size_t>(row)].token;
      for (const int layer : wants_.layers) {
        const auto state = pass.observed.state(layer, row);
        one.states.insert(one.states.end(), state.begin(), state.end());
      }
      if (wants_.best_keys) {
        const auto keys = pass.observed.best_keys(row);
        one.best_keys.assign(keys.begin(), keys.end());
      }
      if (drafts_after && wants_.logits) {
        const auto logits = pass.logits_of(row);
        one.logits.assign(logits.begin(), logits.end());
      }
      if (drafts_after && !wants_.heads.empty()) {
        std::vector<int> positions(static_cast<std::size_t>(position) + 1);
        std::iota(positions.begin(), positions.end(), 0);
        pass.observed.attention(row, wants_.heads, positions, one.attention);
      }
      EXPECT_TRUE(seen.emplace(position, std::move(one)).second) << "twice: " << position;
    }
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    lookup_.draft(context, tree);
  }

 private:
  engine::TapRequest wants_;
  draft::Pld lookup_{draft::PldOptions{1, 6}};
};

/// A tiny target and its answer to a prompt of few words.
struct Answered {
  test::TinyEngine target;
  Answer answer;
  Seen seen;  // while it was decoded
  int accepted = 0;

  Answered(std::uint64_t seed, const engine::TapRequest& wants)
      : target(model::WeightType::kQ4_1, seed, 1),
        answer{"p", "t", test::random_tokens(kLongPrompt, 10, seed), kLongPrompt} {
    Observer observer(wants);
    decode::Decoder decoder(target.engine, 300);
    sampling::Sampler greedy({}, target.engine.config().vocab, seed);
    // Words of the prompt instead of its own choices, so that some drafts are right.
    const auto words = test::random_tokens(90, 10, seed + 20);
    const auto decoded =
        decoder.decode(answer.tokens, greedy, &observer, {.max_new = 90, .given = words});
    answer.tokens.insert(answer.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
    answer.max_new = 90;
    answer.context = 300;
    seen = observer.seen;
    accepted = decoded.stats.accepted;
  }
};

const std::vector<std::pair<const char*, engine::TapRequest>> kWants = {
    {"states", {.layers = kLayers}},
    {"heads", {.heads = kHeads}},
    {"logits", {.logits = true}},
    {"states and logits", {.layers = kLayers, .logits = true}},
    {"all", {.layers = kLayers, .heads = kHeads, .best_keys = true, .logits = true}}};

TEST(Observations, OfATargetThatComputesAgainAreThoseOfDecoding) {
  for (const auto& [name, wants] : kWants) {
    SCOPED_TRACE(name);
    int accepted = 0;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      Answered answered(seed, wants);
      accepted += answered.accepted;
      const std::size_t before = wants.before_last_row().empty() ? kLongPrompt - 1 : 0;
      ASSERT_EQ(answered.seen.size(), answered.answer.tokens.size() - 1 - before);
      Recomputed observations(answered.target.engine);
      Observer observer(wants);
      replay(answered.answer, &observer, &observations);
      EXPECT_EQ(observer.seen, answered.seen);
      // Loops change which passes there are, not what is observed.
      answered.answer.in_loop.assign(90, 0);
      std::fill_n(answered.answer.in_loop.begin() + 20, 30, std::uint8_t{1});
      replay(answered.answer, &observer, &observations);
      EXPECT_EQ(observer.seen, answered.seen);
    }
    EXPECT_GE(accepted, 5);
  }
}

std::vector<data::LayerStates> recorded_states(const Seen& seen, std::span<const int> layers) {
  std::vector<data::LayerStates> all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    all.push_back({layers[i], {}});
    for (const auto& [position, row] : seen) {
      const std::size_t width = row.states.size() / layers.size();
      const auto state = std::span(row.states).subspan(i * width, width);
      std::transform(state.begin(), state.end(), std::back_inserter(all.back().values),
                     float_to_bfloat16);
    }
  }
  return all;
}

TEST(Observations, OfRecordedStatesAreThoseOfDecodingRoundedToBf16) {
  const engine::TapRequest wants = {.layers = kLayers};
  Answered answered(4, wants);
  const std::vector<data::LayerStates> recorded = recorded_states(answered.seen, kLayers);
  RecordedStates observations(answered.target.engine.config());
  observations.take(recorded);
  Observer observer(wants);
  replay(answered.answer, &observer, &observations);
  for (auto& [position, row] : answered.seen)
    for (float& number : row.states) number = bfloat16_to_float(float_to_bfloat16(number));
  EXPECT_EQ(observer.seen, answered.seen);
  // One of several layers that were recorded.
  Observer of_one({.layers = {kLayers[1]}});
  observations.take(recorded);
  replay(answered.answer, &of_one, &observations);
  ASSERT_EQ(of_one.seen.size(), answered.seen.size());
  for (const auto& [position, row] : of_one.seen) {
    const auto& all = answered.seen.at(position).states;
    const auto width = static_cast<std::ptrdiff_t>(row.states.size());
    EXPECT_TRUE(std::equal(row.states.begin(), row.states.end(), all.begin() + width));
  }
}

/// Rounds what another drafter observes as traces do.
class Rounding : public draft::PldPlusH {
 public:
  explicit Rounding(const draft::PldPlusHOptions& options, const model::ModelConfig& config)
      : PldPlusH(options), config_(config) {}

  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    engine::Pass rounded;
    rounded.rows = pass.rows;
    const std::vector<int> layers = traits().wants.layers;
    rounded.observed.begin({.layers = layers}, config_, static_cast<int>(pass.rows.size()), {});
    for (const int row : rows.kept) {
      const auto state = pass.observed.state(layers[0], row);
      std::transform(state.begin(), state.end(), rounded.observed.state_out(layers[0], row),
                     [](float x) { return bfloat16_to_float(float_to_bfloat16(x)); });
    }
    PldPlusH::observe(rounded, rows);
  }

 private:
  model::ModelConfig config_;
};

std::vector<std::pair<int, int>> drafts_of(const Replay& replay) {
  std::vector<std::pair<int, int>> drafts;
  for (const auto& [drafted, accepted] : replay.by_pass) drafts.emplace_back(drafted, accepted);
  return drafts;
}

TEST(Replay, WithRecordedStatesIsThatWithStatesComputedAgainAndRounded) {
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    Answered answered(seed, {.layers = {1}});
    const model::ModelConfig& config = answered.target.engine.config();
    const draft::PldPlusHOptions options = {.layer = 1, .draft_length = 8, .branches = 2};
    draft::PldPlusH plain(options);
    Rounding rounding(options, config);
    Recomputed computed(answered.target.engine);
    RecordedStates recorded(config);
    recorded.take(recorded_states(answered.seen, std::vector<int>{1}));
    const Replay found = replay(answered.answer, &plain, &recorded);
    EXPECT_EQ(drafts_of(found), drafts_of(replay(answered.answer, &rounding, &computed)));
    // Rounding moves a cosine by little: on words chosen at random it decides a pass here and there.
    const Replay exact = replay(answered.answer, &plain, &computed);
    EXPECT_NEAR(static_cast<double>(found.accepted), static_cast<double>(exact.accepted), 3);
    accepted += found.accepted;
  }
  EXPECT_GE(accepted, 10);
}

TEST(RecordedStates, SufficeForStatesOfTheirLayersOnly) {
  const std::vector<int> layers = {0, 2};
  EXPECT_TRUE(RecordedStates::suffice({.layers = {2}}, layers));
  EXPECT_TRUE(RecordedStates::suffice({}, layers));
  EXPECT_FALSE(RecordedStates::suffice({.layers = {2, 1}}, layers));
  EXPECT_FALSE(RecordedStates::suffice({.layers = {2}, .logits = true}, layers));
  EXPECT_FALSE(RecordedStates::suffice({.heads = {{1, 0}}}, layers));
  EXPECT_FALSE(RecordedStates::suffice({.best_keys = true}, layers));
  Answered answered(1, {.layers = {1}});
  RecordedStates observations(answered.target.engine.config());
  Observer observer({.layers = {1}});
  EXPECT_THROW(replay(answered.answer, &observer, &observations), std::logic_error);
}

TEST(Replay, OfADrafterThatObservesNeedsSomethingToObserve) {
  const Answered answered(1, {.layers = {1}});
  Observer observer({.layers = {1}});
  EXPECT_THROW(replay(answered.answer, &observer), std::logic_error);
}

}  // namespace
}  // namespace outrider::calibrate
