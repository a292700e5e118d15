#include "calibrate/pld_plus/head_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "calibrate/pld_plus/head_sweep.h"
#include "runtime/engine/forward_text.h"
#include "tests/calibrate/induction_llama.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using test::InductionLlama;

struct HandMade {
  std::vector<std::byte> bytes = InductionLlama().gguf();
  model::Model model = model::parse_model(bytes, "induction");
  std::unique_ptr<engine::Engine> made =
      engine::make_engine(model, {.numerics = engine::Numerics::kF32, .threads = 1});
  engine::Engine& engine = *made;
};

/// A prompt with a passage, followed by its words one by one, each before another word; the answer is
/// the passage.
Answer repeated_passage(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Token> words(InductionLlama::kWords);
  std::iota(words.begin(), words.end(), InductionLlama::kFirstWord);
  std::shuffle(words.begin(), words.end(), random);
  const std::vector<Token> passage(words.begin(), words.begin() + 20);
  auto other = words.begin() + 20;
  Answer answer{"p", "task", {0, *other++, *other++}, 0};
  answer.tokens.insert(answer.tokens.end(), passage.begin(), passage.end());
  std::vector<Token> alone = passage;
  std::shuffle(alone.begin(), alone.end(), random);
  for (const Token word : alone) {
    answer.tokens.push_back(*other++);
    answer.tokens.push_back(word);
    answer.tokens.push_back(*other++);
  }
  // The answer's first token has the passage's first before it, and that its own predecessor.
  answer.tokens.push_back(answer.tokens[2]);
  answer.tokens.push_back(passage[0]);
  answer.prompt = static_cast<int>(answer.tokens.size());
  answer.tokens.insert(answer.tokens.end(), passage.begin() + 1, passage.end());
  return answer;
}

TEST(CopiedFrom, IsTheOccurrenceWithTheLongestRunBeforeIt) {
  const Answer answer = {"", "", {1, 2, 9, 5, 2, 9, 7, 9, 1, 2, 9}, 10};
  EXPECT_EQ(copied_from(answer, 10), 2);
  const Answer ties = {"", "", {1, 9, 2, 9, 3, 9, 4, 9}, 7};
  EXPECT_EQ(copied_from(ties, 7), 5);
  const Answer same_run = {"", "", {2, 9, 2, 9, 3, 2, 9}, 6};
  EXPECT_EQ(copied_from(same_run, 6), 3);
  // Only the prompt counts.
  const Answer own = {"", "", {1, 2, 9, 3, 9}, 2};
  EXPECT_EQ(copied_from(own, 4), std::nullopt);
}

TEST(HeadSearch, FindsExactlyTheInductionHead) {
  HandMade target;
  HeadSearch search(target.engine);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) search.add(repeated_passage(seed));
  const HeadHits found = search.total();
  EXPECT_EQ(found.tokens, 5 * 19);
  const std::size_t heads = InductionLlama::kHeads;
  const std::size_t induction =
      (InductionLlama::kInductionLayer - 1) * heads + InductionLlama::kInduction;
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const std::int64_t hits = found.hits[i];
    if (i == induction) {
      EXPECT_EQ(hits, found.tokens);
    } else {
      EXPECT_LE(hits, 2) << "layer " << i / heads + 1 << ", head " << i % heads;
    }
  }
  const auto ranking = ranked_heads(found, InductionLlama::kHeads);
  EXPECT_EQ(ranking[0].layer, InductionLlama::kInductionLayer);
  EXPECT_EQ(ranking[0].head, InductionLlama::kInduction);
}

/// How often a head of the second layer attends `shift` positions after the one to copy from, in the row
/// before the token, or in the token's own.
int looks(HandMade& target, int head, int shift, bool own_row) {
  const Answer answer = repeated_passage(1);
  int count = 0;
  engine::forward_text(target.engine, answer.tokens,
                       {.request = {.best_keys = true}, .observed_from = answer.prompt - 1},
                       [&](const engine::Pass& pass, int first) {
                         const int rows = static_cast<int>(pass.rows.size());
                         for (int row = 0; row < rows; ++row) {
                           const int t = first + row + (own_row ? 0 : 1);
                           if (t < answer.prompt || t >= static_cast<int>(answer.tokens.size()))
                             continue;
                           const int key = pass.observed.best_key(row, {2, head});
                           count += key == *copied_from(answer, t) + shift;
                         }
                       });
  return count;
}

TEST(HeadSearch, ADecoyWouldBeFoundOnePositionAside) {
  HandMade target;
  EXPECT_GE(looks(target, InductionLlama::kTooEarly, -1, false), 18);
  EXPECT_GE(looks(target, InductionLlama::kTooLate, 1, false), 15);
  EXPECT_GE(looks(target, InductionLlama::kTooEarly, 0, true), 18);
  EXPECT_EQ(looks(target, InductionLlama::kInduction, 0, true), 0);
}

TEST(HeadSearch, CountsNothingInLoops) {
  HandMade target;
  HeadSearch search(target.engine);
  Answer answer = repeated_passage(1);
  answer.in_loop.assign(19, 0);
  std::fill_n(answer.in_loop.begin() + 3, 5, std::uint8_t{1});
  search.add(answer);
  EXPECT_EQ(search.total().tokens, 14);
}

TEST(HeadSearch, CountsByTask) {
  HandMade target;
  HeadSearch search(target.engine);
  Answer first = repeated_passage(1), second = repeated_passage(2), silent = repeated_passage(3);
  second.task = "other";
  silent.tokens.resize(static_cast<std::size_t>(silent.prompt));
  for (const Answer& answer : {first, second, second, silent}) search.add(answer);
  ASSERT_EQ(search.by_task().size(), 2u);
  EXPECT_EQ(search.by_task().at("task").tokens, 19);
  EXPECT_EQ(search.by_task().at("other").tokens, 38);
}

TEST(HeadSweep, ReplaysWhatTheInductionHeadWouldDraft) {
  HandMade target;
  HeadHits hits;
  hits.hits.assign(2 * InductionLlama::kHeads, 0);
  hits.hits[InductionLlama::kHeads + InductionLlama::kInduction] = 1;
  HeadSweep sweep(target.engine, ranked_heads(hits, InductionLlama::kHeads),
                  head_choices(target.engine.config()));
  HeadSearch apart(target.engine), counted(target.engine);
  sweep.add(repeated_passage(1), &counted);
  draft::PldPlusHeads noted;
  const std::size_t best = note_sweep(sweep, 10, noted);
  EXPECT_EQ(sweep.choices()[best].count, 1);
  EXPECT_EQ(noted.chosen, 1);
  const Replay replay = sweep.table().replay(best, {.draft_length = 10});
  // 18 tokens after the first: ten and one, then six and one.
  EXPECT_EQ(replay.passes, 2);
  EXPECT_EQ(replay.tokens, 18);
  EXPECT_EQ(replay.accepted, 16);
  // The hits are counted in the same passes.
  apart.add(repeated_passage(1));
  EXPECT_EQ(counted.total().tokens, 19);
  EXPECT_EQ(counted.total().hits, apart.total().hits);
}

TEST(HeadSweep, TriesAllHeadsOfEachLayerByTheLargestAndByTheSum) {
  test::TinyEngine target(model::WeightType::kF32, 3, 1);
  const int heads = target.engine.config().heads, layers = target.engine.config().layers;
  HeadHits hits;
  hits.hits.assign(static_cast<std::size_t>(layers * heads), 1);
  hits.hits[static_cast<std::size_t>(heads) + 1] = 2;  // the layers' heads are not in their order
  HeadSweep sweep(target.engine, ranked_heads(hits, heads), head_choices(target.engine.config()));
  std::vector<Answer> answers;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    sweep.add(answers.emplace_back(Answer{"p", "t", test::random_tokens(90, 6, seed), 40}));
  draft::PldPlusHeads noted;
  note_sweep(sweep, 10, noted);
  ASSERT_EQ(noted.layer_sweep.size(), static_cast<std::size_t>(2 * layers));
  std::set<double> different;
  for (int layer = 1; layer <= layers; ++layer) {
    std::vector<engine::Head> of_layer;
    for (int head = 0; head < heads; ++head) of_layer.push_back({layer, head});
    HeadSweep alone(target.engine, of_layer,
                    {{HeadChoice::kRanked, heads, draft::Aggregation::kMax},
                     {HeadChoice::kRanked, heads, draft::Aggregation::kSum}});
    for (const Answer& answer : answers) alone.add(answer);
    for (const std::size_t by : {0U, 1U}) {
      const double found = noted.layer_sweep[2 * static_cast<std::size_t>(layer - 1) + by];
      EXPECT_EQ(found, alone.table().replay(by, {.draft_length = 10}).tokens_per_pass());
      different.insert(found);
    }
  }
  EXPECT_EQ(different.size(), noted.layer_sweep.size());  // so that none can be taken for another
}

}  // namespace
}  // namespace outrider::calibrate
