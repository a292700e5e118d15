#include "tests/data/random_traces.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/loops.h"

namespace outrider::test {
namespace {

using data::Trace;

class TraceMaker {
 public:
  TraceMaker(const data::StoreIdentity& identity, std::int64_t conversation)
      : identity_(identity), random_(static_cast<std::uint64_t>(conversation) + 1) {}

  Trace make(std::int64_t conversation, int turn) {
    Trace trace;
    trace.id = fmt::format("prompt/{}", conversation / 2);
    trace.task = conversation % 3 == 0 ? "qa" : "söm task";
    trace.turn = turn;
    trace.sample = static_cast<int>(conversation % 2) + 1;
    trace.temperature = conversation % 2 == 0 ? 0 : 0.7;
    trace.sequence_seed = random_();
    trace.finish = static_cast<decode::FinishReason>(below(3));
    trace.prompt_tokens = tokens(1 + below(20));
    trace.output_tokens = tokens(1 + below(40));
    for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) add_scores(trace);
    trace.loss_mask.assign(trace.prompt_tokens.size(), 0);
    trace.loss_mask.resize(trace.prompt_tokens.size() + trace.output_tokens.size(), 1);
    trace.in_loop = data::loop_flags(trace.output_tokens);
    for (const int layer : identity_.layers) {
      trace.states.push_back({layer, {}});
      for (std::size_t i = 0; i < trace.positions() * static_cast<std::size_t>(identity_.width);
           ++i) {
        trace.states.back().values.push_back(float_to_bfloat16(static_cast<float>(unit() - 0.5)));
      }
    }
    return trace;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  /// Small ids are frequent, so that there are loops.
  std::vector<Token> tokens(std::size_t count) {
    std::vector<Token> made;
    const std::size_t most = below(2) == 0 ? 1 : static_cast<std::size_t>(identity_.vocab);
    while (made.size() < count) made.push_back(static_cast<Token>(below(most)));
    return made;
  }

  void add_scores(Trace& trace) {
    double left = 1;
    std::vector<double> shares;
    for (int i = 0; i < identity_.top_k; ++i) {
      shares.push_back(left * unit());
      left -= shares.back();
    }
    std::sort(shares.rbegin(), shares.rend());
    const std::size_t first = below(static_cast<std::size_t>(identity_.vocab));
    for (std::size_t i = 0; i < shares.size(); ++i) {
      trace.top_ids.push_back(
          static_cast<Token>((first + i) % static_cast<std::size_t>(identity_.vocab)));
      trace.top_log_probs.push_back(static_cast<float>(std::log(shares[i])));
    }
    trace.entropies.push_back(static_cast<float>(5 * unit()));
    trace.tail_masses.push_back(static_cast<float>(left));
  }

  const data::StoreIdentity& identity_;
  std::mt19937_64 random_;
};

}  // namespace

data::StoreIdentity small_identity(std::vector<int> layers) {
  return {
      "small", "0123", "4567", 300, 8, 4, std::move(layers), {{"max-new", "40"}, {"seed", "1"}}};
}

std::vector<Trace> random_conversation(const data::StoreIdentity& identity,
                                       std::int64_t conversation) {
  TraceMaker maker(identity, conversation);
  std::vector<Trace> traces;
  if (conversation % 9 == 8) return traces;
  traces.push_back(maker.make(conversation, 1));
  if (conversation % 4 == 1) traces.push_back(maker.make(conversation, 2));
  return traces;
}

std::vector<Trace> random_shard(const data::StoreIdentity& identity, const data::ShardPlan& plan,
                                int shard) {
  std::vector<Trace> traces;
  for (std::int64_t c = plan.first(shard); c < plan.first(shard + 1); ++c) {
    for (Trace& trace : random_conversation(identity, c)) traces.push_back(std::move(trace));
  }
  return traces;
}

void expect_equal(const Trace& one, const Trace& other) {
  EXPECT_EQ(one.id, other.id);
  EXPECT_EQ(one.task, other.task);
  EXPECT_EQ(one.turn, other.turn);
  EXPECT_EQ(one.sample, other.sample);
  EXPECT_EQ(one.temperature, other.temperature);
  EXPECT_EQ(one.sequence_seed, other.sequence_seed);
  EXPECT_EQ(one.finish, other.finish);
  EXPECT_EQ(one.prompt_tokens, other.prompt_tokens);
  EXPECT_EQ(one.output_tokens, other.output_tokens);
  EXPECT_EQ(one.loss_mask, other.loss_mask);
  EXPECT_EQ(one.top_ids, other.top_ids);
  EXPECT_EQ(one.top_log_probs, other.top_log_probs);
  EXPECT_EQ(one.entropies, other.entropies);
  EXPECT_EQ(one.tail_masses, other.tail_masses);
  EXPECT_EQ(one.in_loop, other.in_loop);
  ASSERT_EQ(one.states.size(), other.states.size());
  for (std::size_t i = 0; i < one.states.size(); ++i) {
    EXPECT_EQ(one.states[i].layer, other.states[i].layer);
    EXPECT_EQ(one.states[i].values, other.states[i].values);
  }
}

}  // namespace outrider::test
