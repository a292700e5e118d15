#include "calibrate/pld_plus/copy_table.h"

#include <gtest/gtest.h>

#include <tuple>

#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "calibrate/pld_plus/try_lengths.h"
#include "runtime/cost/trials.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "tests/support/some_trials.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using Passes = std::vector<std::pair<int, int>>;  // drafted, accepted

Passes passes_of(const std::vector<decode::PassDraft>& by_pass) {
  Passes passes;
  for (const decode::PassDraft& pass : by_pass) passes.push_back({pass.drafted, pass.accepted});
  return passes;
}

/// A table of one ranking and one answer, with the sources of its positions.
CopyTable table_of(const Answer& answer,
                   const std::vector<std::vector<draft::RankedSource>>& sources, int branches) {
  CopyTable table(1, branches);
  table.begin(answer);
  for (const auto& of_position : sources) table.note(0, of_position);
  return table;
}

TEST(CopyTable, DraftsFromTheBestSourceAsFarAsTextAndLengthReach) {
  //                      0  1  2  3  4  5  6  7  8  9 10
  const Answer answer = {"p", "t", {5, 1, 2, 5, 1, 9, 5, 1, 2, 5, 1}, 6};
  // Positions 6 to 9; what follows 0 is right, what follows 3 only at first.
  const CopyTable table =
      table_of(answer, {{{0, .5F}, {3, .4F}}, {{1, .5F}, {4, .6F}}, {}, {{6, 1.F}}}, 1);
  const auto replayed = [&](const CopyDrafting& how) {
    return passes_of(table.replay(0, how).by_pass);
  };
  EXPECT_EQ(replayed({.draft_length = 10}), (Passes{{3, 3}}));
  EXPECT_EQ(replayed({.draft_length = 1}), (Passes{{1, 1}, {0, 0}, {0, 0}}));
  // Position 7 prefers the wrong source, position 6 none at this threshold.
  EXPECT_EQ(replayed({.draft_length = 10, .threshold = .55}),
            (Passes{{0, 0}, {2, 0}, {0, 0}, {0, 0}}));
  EXPECT_EQ(table.replay(0, {.draft_length = 10}).tokens, 4);
}

TEST(CopyTable, BranchesDisagreeOnTheNextToken) {
  Answer answer = {"p", "t", {5, 1, 2, 5, 3, 4, 5, 3, 7, 5, 1, 2, 8}, 9};
  answer.context = 30;
  // Sources 3 and 6 go on with the same token: the worse of them is no branch.
  const std::vector<draft::RankedSource> sources = {{0, .1F}, {3, .2F}, {6, .3F}};
  const auto first = [&](int branches, int max_new) {
    answer.max_new = max_new;
    const CopyTable table = table_of(answer, {sources, {}, {}}, 3);
    const CopyDrafting how = {.draft_length = 2, .branches = branches};
    return passes_of(table.replay(0, how).by_pass).front();
  };
  EXPECT_EQ(first(1, 9), std::pair(2, 0));
  EXPECT_EQ(first(2, 9), std::pair(4, 2));
  EXPECT_EQ(first(3, 9), std::pair(4, 2));
  // The prefill's token and two more: only one of them can be drafted.
  EXPECT_EQ(first(3, 3), std::pair(2, 1));
}

TEST(TryLengths, CountsEveryLengthAndThreshold) {
  // Wherever a draft of at most 100 begins, three of its tokens are right.
  const auto replayed = [&](int draft_length, double threshold) {
    Replay replay;
    const int drafted = threshold < 0 ? draft_length : 0;
    const int accepted = std::min(drafted, 3);
    for (int left = 4000; left > 0; left -= accepted + 1)
      replay.add_pass(drafted, accepted, std::min(left, accepted + 1));
    return replay;
  };
  cost::TemperatureTrials tried = {0, 4000, try_lengths(replayed, {0.5, -1})};
  EXPECT_EQ(tried.trials.size(), 15U * 2);
  tried.price({cost::CostModel(test::some_passes(0.1, 9)), 0, {}, {}});
  const std::vector<std::string> names = {"draft-length", "threshold"};
  const cost::Trial& best = *tried.best(names, {}, {});
  EXPECT_EQ(best.settings, (cost::SettingValues{{"draft-length", 3.0}, {"threshold", -1.0}}))
      << "the fastest and not the longest";
  EXPECT_NEAR(best.tokens_per_second, 4 / 1.3, 1e-9);
  EXPECT_NEAR(best.tokens_per_pass(), 4, 1e-9);
  EXPECT_EQ(best.verified.with(4), 1000);
  EXPECT_EQ(best.drafting.passes(), 0);
  EXPECT_NEAR(tried.trials.back().tokens_per_second, 4 / 11.0, 1e-9);
  EXPECT_NEAR(tried.trials[0].tokens_per_second, 1, 1e-9) << "no draft reaches the threshold";
  const std::vector<cost::Trial> without = try_lengths(replayed, {});
  ASSERT_EQ(without.size(), 15U);
  EXPECT_EQ(without[2].settings, (cost::SettingValues{{"draft-length", 3.0}}));
}

/// A tiny target and an answer of it to a prompt that it repeats.
struct Decoded {
  test::TinyEngine target;
  decode::DecodeLimits limits;
  sampling::Sampler sampler;
  int context;
  Answer answer;

  /// Odd seeds end within the text: at a token that it holds.
  Decoded(std::uint64_t seed, double temperature)
      : target(model::WeightType::kQ4_1, seed, 1),
        limits{.max_new = 60},
        sampler({.temperature = temperature}, target.engine.config().vocab, seed),
        context(seed % 3 == 0 ? 95 : 200),
        answer{"p", "t", test::random_tokens(40, 12, seed), 40} {
    const auto text = decode(nullptr).tokens;
    if (seed % 2 == 1) limits.end_tokens = {text[text.size() / 2]};
    answer.max_new = limits.max_new;
    answer.context = context;
    answer.sampler = sampler.options();
    answer.sequence_seed = seed;
    take_answer();
  }
  /// Takes few different words instead of its own choices, so that there are many sources.
  void take_words(std::uint64_t seed) {
    limits.given = test::random_tokens(60, 12, seed);
    answer.tokens.resize(40);
    take_answer();
  }
  void take_answer() {
    const auto ended = decode(nullptr).tokens;
    answer.tokens.insert(answer.tokens.end(), ended.begin(), ended.end());
  }
  decode::DecodeResult decode(draft::Drafter* drafter) {
    decode::Decoder decoder(target.engine, context);
    return decoder.decode(std::span(answer.tokens).first(40), sampler, drafter, limits);
  }
  /// @return the tokens accepted
  std::int64_t compare(draft::Drafter& drafter, const CopyTable& table, std::size_t ranking,
                       const CopyDrafting& how) {
    const auto decoded = decode(&drafter);
    const Replay replayed = table.replay(ranking, how);
    EXPECT_EQ(passes_of(replayed.by_pass), passes_of(decoded.stats.by_pass));
    EXPECT_EQ(replayed.tokens, std::ssize(decoded.tokens) - 1);
    return replayed.accepted;
  }
};

constexpr int kBranches = 4;

/// Drafts of 0 to 11 tokens, another number for each class of scores and matches.
draft::DraftLengthsPtr many_lengths() {
  draft::PldPlusLengths known;
  known.score_bounds = {0.05F, 0.3F, 0.8F};
  known.match_bounds = {2, 4};
  known.sources.assign(12, 100);
  known.seconds.assign(12, 1);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t n = 0; n < 11; ++n) known.accepted.push_back(n < 5 * i % 12 ? 50 : 0);
  return std::make_shared<draft::DraftLengths>(known, known.seconds, 1);
}

TEST(Replay, IsDecodingByStatesPassByPass) {
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    for (const double temperature : {0.0, 0.6, 1.0}) {
      Decoded decoded(seed, temperature);
      StateSweep sweep(decoded.target.engine, every_layer(decoded.target.engine.config()),
                       kBranches);
      sweep.add(decoded.answer);
      for (const int branches : {1, 2}) {
        draft::PldPlusH drafter({.layer = 1, .branches = branches, .lengths = many_lengths()});
        accepted += decoded.compare(drafter, sweep.table(), 1,
                                    {.branches = branches, .lengths = many_lengths()});
      }
      for (const int draft_length : {1, 10, 70}) {
        for (const auto& [threshold, branches] :
             {std::tuple{-1.0, 1}, {0.6, 1}, {-1.0, kBranches}, {0.6, 2}}) {
          draft::PldPlusH drafter({1, draft_length, threshold, branches});
          accepted +=
              decoded.compare(drafter, sweep.table(), 1, {draft_length, threshold, branches});
        }
      }
    }
  }
  EXPECT_GE(accepted, 100);
}

constexpr double kLogitWeight = 3;

TEST(Replay, IsDecodingByStatesAndLogitsPassByPass) {
  int told_apart = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    for (const auto& [temperature, words] : {std::pair{0.0, false}, {1.0, false}, {0.0, true}}) {
      Decoded decoded(seed, temperature);
      if (words) decoded.take_words(seed + 10);
      StateSweep sweep(decoded.target.engine, weights_of_layer(1, {0, kLogitWeight}), kBranches);
      sweep.add(decoded.answer);
      draft::PldPlusH by_step(
          {.layer = 1, .lengths = many_lengths(), .logit_weight = kLogitWeight});
      decoded.compare(by_step, sweep.table(), 1, {.lengths = many_lengths()});
      for (const CopyDrafting& how :
           {CopyDrafting{1, -1, 1}, CopyDrafting{10, -1, 1}, CopyDrafting{10, 0.6, 1},
            CopyDrafting{10, -1, kBranches}, CopyDrafting{70, 0.6, 2}}) {
        const auto drafter = [&](double weight) {
          return draft::PldPlusH({.layer = 1,
                                  .draft_length = how.draft_length,
                                  .threshold = how.threshold,
                                  .branches = how.branches,
                                  .logit_weight = weight});
        };
        auto weighing = drafter(kLogitWeight), plain = drafter(0);
        decoded.compare(weighing, sweep.table(), 1, how);
        decoded.compare(plain, sweep.table(), 0, how);
        const auto passes = [&](std::size_t ranking) {
          return passes_of(sweep.table().replay(ranking, how).by_pass);
        };
        told_apart += passes(0) != passes(1);
      }
    }
  }
  EXPECT_GE(told_apart, 10);
}

/// One decoder and one drafter make two answers to a prompt, which share its rows, and a second turn.
TEST(Replay, IsDecodingByLogitsInLaterSamplesAndTurns) {
  std::int64_t accepted = 0;
  int told_apart = 0;
  for (const auto& [temperature, words] : {std::pair{0.0, false}, {1.0, false}, {0.0, true}}) {
    test::TinyEngine target(model::WeightType::kQ4_1, 5, 1);
    decode::Decoder decoder(target.engine, 300);
    draft::PldPlusH drafter({.layer = 1, .draft_length = 10, .logit_weight = kLogitWeight});
    decode::DecodeLimits limits = {.max_new = 60};
    std::vector<Token> text = test::random_tokens(40, 12, 5);
    const double of_sampler = temperature;
    const bool given = words;
    const auto compare = [&](std::uint64_t seed, int prefilled) {
      if (given) limits.given = test::random_tokens(60, 12, seed);
      sampling::Sampler sampler({.temperature = of_sampler, .seed = seed},
                                target.engine.config().vocab, seed);
      const auto decoded = decoder.decode(text, sampler, &drafter, limits);
      EXPECT_EQ(decoded.stats.prefilled_rows, prefilled);
      Answer answer = {"p", "t", text, static_cast<int>(text.size())};
      answer.tokens.insert(answer.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
      answer.max_new = limits.max_new;
      answer.context = 300;
      answer.sampler = sampler.options();
      answer.sequence_seed = seed;
      StateSweep sweep(target.engine, weights_of_layer(1, {kLogitWeight, 0}));
      sweep.add(answer);
      const Replay replayed = sweep.table().replay(0, {});
      EXPECT_EQ(passes_of(replayed.by_pass), passes_of(decoded.stats.by_pass));
      const Replay plain = sweep.table().replay(1, {});
      told_apart += passes_of(plain.by_pass) != passes_of(decoded.stats.by_pass);
      accepted += replayed.accepted;
      return answer.tokens;
    };
    compare(1, 40);
    text = compare(2, 1);
    for (const Token token : test::random_tokens(9, 12, 6)) text.push_back(token);
    compare(3, 10);
  }
  EXPECT_GE(accepted, 20);
  EXPECT_GE(told_apart, 3);
}

TEST(Replay, IsDecodingByAttentionPassByPass) {
  std::vector<engine::Head> ranking;
  for (const int layer : {2, 1})
    for (const int head : {3, 0, 2, 1}) ranking.push_back({layer, head});
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    for (const double temperature : {0.0, 1.0}) {
      Decoded decoded(seed, temperature);
      HeadSweep sweep(decoded.target.engine, ranking, head_choices(decoded.target.engine.config()),
                      kBranches);
      sweep.add(decoded.answer);
      for (std::size_t c = 0; c < sweep.choices().size(); ++c) {
        const HeadChoice& choice = sweep.choices()[c];
        if (choice.layer != HeadChoice::kRanked) continue;
        draft::PldPlusA by_step({.heads = {ranking.begin(), ranking.begin() + choice.count},
                                 .aggregation = choice.aggregation,
                                 .lengths = many_lengths()});
        accepted += decoded.compare(by_step, sweep.table(), c, {.lengths = many_lengths()});
        for (const auto& [draft_length, branches] : {std::pair{1, 1}, {10, 1}, {10, 3}, {70, 4}}) {
          draft::PldPlusA drafter({{ranking.begin(), ranking.begin() + choice.count},
                                   choice.aggregation,
                                   draft_length,
                                   branches});
          accepted += decoded.compare(drafter, sweep.table(), c,
                                      {.draft_length = draft_length, .branches = branches});
        }
      }
    }
  }
  EXPECT_GE(accepted, 100);
}

}  // namespace
}  // namespace outrider::calibrate
