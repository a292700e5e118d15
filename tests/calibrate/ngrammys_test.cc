#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/ngrammys/bigram_trial.h"
#include "calibrate/ngrammys/draft_curves.h"
#include "calibrate/ngrammys/draft_uses.h"
#include "calibrate/ngrammys/unigram_trial.h"
#include "data/journal/journal.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/ngram/bigram_drafter.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix rows_of(const model::Weight& weight) {
  Matrix rows;
  std::vector<float> row(static_cast<std::size_t>(weight.columns));
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    weight.read_row(r, row.data());
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The definition, as sums over the vocabulary: <a, b> is the mean over x of (a . v_x)(b . v_x).
double score(const std::vector<double>& u, const std::vector<double>& mean, const Matrix& v,
             UnigramMeasure measure) {
  std::vector<double> apart = u;
  for (std::size_t i = 0; i < u.size(); ++i) apart[i] -= mean[i];
  double sum = 0;
  for (const auto& x : v) {
    sum += measure == UnigramMeasure::kDistance ? dot(apart, x) * dot(apart, x)
                                                : dot(mean, x) * dot(u, x);
  }
  return sum / static_cast<double>(v.size());
}

TEST(UnigramRanking, EqualsItsDefinition) {
  const auto bytes =
      test::tiny_llama_gguf({.head_width = 32, .tied = false}, 3, model::WeightType::kQ8_0);
  const model::Model model = model::parse_model(bytes, "tiny");
  const Matrix v = rows_of(model.embedding);
  const Matrix u = rows_of(model.head);
  std::vector<double> mean(u[0].size());
  for (const auto& row : u)
    for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / static_cast<double>(u.size());
  for (const auto measure : {UnigramMeasure::kDistance, UnigramMeasure::kInner}) {
    const std::vector<double> scores = unigram_scores(model, measure);
    ASSERT_EQ(scores.size(), u.size());
    double largest = 0;
    for (const double one : scores) largest = std::max(largest, std::abs(one));
    for (std::size_t t = 0; t < u.size(); ++t)
      EXPECT_NEAR(scores[t], score(u[t], mean, v, measure), 1e-4 * largest) << t;
    const std::vector<Token> ranking = rank_unigrams(model, measure);
    for (std::size_t i = 1; i < ranking.size(); ++i)
      EXPECT_LE(scores[static_cast<std::size_t>(ranking[i - 1])],
                scores[static_cast<std::size_t>(ranking[i])]);
  }
}

/// An answer of the first two tokens of a ranking only.
Answer answer_by_best(const std::vector<Token>& ranking) {
  Answer answer{"p", "t", {ranking.back()}, 1};
  for (std::size_t i = 0; i < 20; ++i) answer.tokens.push_back(ranking[i % 2]);
  return answer;
}

TEST(UnigramTrial, TheRankingWhoseTokensAreGeneratedWins) {
  const auto bytes =
      test::tiny_llama_gguf({.head_width = 32, .tied = false}, 3, model::WeightType::kQ8_0);
  const model::Model model = model::parse_model(bytes, "tiny");
  const auto distance = rank_unigrams(model, UnigramMeasure::kDistance);
  const auto inner = rank_unigrams(model, UnigramMeasure::kInner);
  ASSERT_NE(std::vector(distance.begin(), distance.begin() + 2),
            std::vector(inner.begin(), inner.begin() + 2));
  for (const auto& [ranking, measure] :
       {std::pair{distance, UnigramMeasure::kDistance}, {inner, UnigramMeasure::kInner}}) {
    const auto trials = try_unigrams(model, {answer_by_best(ranking)}, 2);
    EXPECT_EQ(best_of(trials).measure, measure);
    EXPECT_EQ(best_of(trials).ranking, ranking);
    // One token is the prefill's; of the others each pass accepts one and yields one.
    EXPECT_EQ(best_of(trials).replay.passes, 10);
    EXPECT_EQ(best_of(trials).replay.accepted, 9);
  }
}

TEST(DraftCurves, RiseWithTheNumberOfDrafts) {
  // After t comes t + 1 or, every fourth time, t + 2, of seven tokens.
  auto tables = std::make_shared<draft::NgramTables>();
  tables->top = 5;
  for (Token t = 0; t < 7; ++t) {
    tables->unigram.push_back(t);
    for (int rank = 0; rank < 5; ++rank) tables->next.push_back((t + 1 + rank) % 7);
  }
  tables->log_probs.resize(tables->next.size(), -1);
  Answer answer{"p", "t", {0}, 1};
  for (int i = 0; i < 100; ++i)
    answer.tokens.push_back((answer.tokens.back() + (i % 4 == 0 ? 2 : 1)) % 7);
  const DraftCurves found = draft_curves({answer}, tables);
  EXPECT_EQ(found.drafts, (std::vector<int>{1, 2, 3, 4, 5}));
  ASSERT_EQ(found.curves.size(), 7u);
  EXPECT_EQ(found.curves[0].first, "unigram");
  EXPECT_EQ(found.curves[3].first, "bigram, w = 3");
  EXPECT_EQ(found.curves[6].first, "context, q = 3");
  for (const auto& [name, curve] : found.curves) {
    ASSERT_EQ(curve.size(), 5u) << name;
    for (std::size_t k = 1; k < curve.size(); ++k) EXPECT_GE(curve[k], curve[k - 1]) << name;
  }
  // Two bigrams hold whatever comes next: each pass yields two tokens, but for the last.
  draft::Bigram two(tables, {.drafts = 2, .draft_length = 1});
  const double tau = replay_all({answer}, &two).tokens_per_pass();
  EXPECT_EQ(found.curves[1].second[1], tau);
  EXPECT_EQ(tau, 99.0 / 50);
  EXPECT_GT(found.curves[3].second[1], tau);
}

TEST(DraftUses, TellWhichSourceWasRightHowFarAndHowOftenItWasAsked) {
  // The table's second guess is always right, and its first continues wrongly.
  auto tables = std::make_shared<draft::NgramTables>();
  tables->top = 3;
  for (Token t = 0; t < 100; ++t)
    for (const int step : {2, 1, 3}) tables->next.push_back((t + step) % 100);
  tables->log_probs.resize(tables->next.size(), -1);
  // 0 … 59 once, each the last token's successor, so that the text so far never helps; then it does.
  Answer answer{"p", "t", {0}, 1};
  for (Token t = 1; t < 60; ++t) answer.tokens.push_back(t);
  DraftUses uses = draft_uses({answer}, tables);
  EXPECT_EQ(uses.drafts, 3);
  ASSERT_EQ(uses.sources.size(), 2u);
  // 58 tokens after the first, two a pass.
  EXPECT_EQ(uses.sources[0].name, "context");
  EXPECT_EQ(uses.sources[0].by_drafts, (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(uses.sources[0].by_length, std::vector<double>(10));
  EXPECT_EQ(uses.sources[1].name, "bigram");
  EXPECT_EQ(uses.sources[1].by_rank, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(uses.sources[1].by_drafts, (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(uses.sources[1].by_length[0], 1);

  // The same again and again: copies of ten tokens, as soon as they are whole.
  for (int i = 0; i < 600; ++i) answer.tokens.push_back(i % 60);
  uses = draft_uses({answer}, tables);
  const SourceUse& context = uses.sources[0];
  EXPECT_GT(context.by_length[9], 0.5);
  EXPECT_EQ(context.by_rank[0], context.by_drafts[1]);
  EXPECT_NEAR(context.by_drafts[0] + context.by_drafts[1], 1, 1e-12);
  EXPECT_NEAR(uses.sources[1].by_drafts[2], context.by_drafts[1], 1e-12);  // filled up
}

TEST(BigramTrial, TheTableWhoseTokensAreGeneratedWins) {
  // After t comes t + step, modulo ten; the answer continues by steps of three.
  const auto table = [](int step) {
    BigramTable made;
    made.top = 1;
    for (Token t = 0; t < 10; ++t) made.next.push_back((t + step) % 10);
    made.log_probs.resize(made.next.size());
    return made;
  };
  Answer answer{"p", "t", {0}, 1};
  for (Token t = 0; t < 21; ++t) answer.tokens.push_back((3 * t + 3) % 10);
  std::vector<BigramTrial> trials = {{"none", table(1), {}}, {"chat", table(3), {}}};
  try_bigrams(trials, {answer});
  EXPECT_EQ(best_of(trials).context, "chat");
  EXPECT_EQ(best_of(trials).replay.tokens_per_pass(), kTrialLength + 1);
  EXPECT_EQ(trials[0].replay.accepted, 0);
}

class Bigrams : public testing::Test {
 protected:
  BigramTable table(int batch, int passes = 1 << 20, std::vector<Token> before = {}) {
    BigramTable table;
    table.before = std::move(before);
    table.top = kTop;
    fill_bigram_table(tiny_.engine, batch, vocab(), table, [&passes] { return --passes > 0; });
    return table;
  }

  Token vocab() const { return tiny_.engine.config().vocab; }

  /// Each row against one pass over its own text.
  void check(const BigramTable& made) {
    const int vocab = tiny_.engine.config().vocab;
    ASSERT_EQ(made.rows(), vocab);
    for (Token token = 0; token < vocab; ++token) {
      std::vector<Token> text = made.before;
      text.push_back(token);
      const auto cache = tiny_.engine.make_cache(static_cast<int>(text.size()));
      engine::Pass pass;
      pass.sequences = {cache.get()};
      pass.add_chain(0, text, false);
      pass.rows.back().wants_logits = true;
      tiny_.engine.forward(pass);
      const auto logits = pass.row_logits(0);
      double sum = 0;
      for (const float z : logits) sum += std::exp(static_cast<double>(z));
      std::vector<Token> order(logits.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Token>(i);
      std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
      });
      for (int rank = 0; rank < kTop; ++rank) {
        const auto at = static_cast<std::size_t>(token * kTop + rank);
        const Token next = order[static_cast<std::size_t>(rank)];
        EXPECT_EQ(made.next[at], next) << "after " << token;
        EXPECT_NEAR(made.log_probs[at], logits[static_cast<std::size_t>(next)] - std::log(sum),
                    1e-4);
      }
    }
  }

  static constexpr int kTop = 5;
  test::TinyEngine tiny_{model::WeightType::kQ8_0, 9, 1};
};

TEST_F(Bigrams, AreTheModelsChoicesAfterEveryTokenAlone) { check(table(100)); }

TEST_F(Bigrams, AreTheModelsChoicesAfterAnOpeningAndEveryToken) {
  const BigramTable made = table(100, 1 << 20, {7, 3, 250});
  check(made);
  EXPECT_NE(made.next, table(100).next);
  EXPECT_EQ(made.log_probs, table(9, 1 << 20, {7, 3, 250}).log_probs);
}

TEST_F(Bigrams, AreTheSameBitsWhateverTheBatch) {
  const BigramTable single = table(1);
  for (const int batch : {7, 64, 512}) {
    const BigramTable other = table(batch);
    EXPECT_EQ(other.next, single.next) << batch;
    EXPECT_EQ(other.log_probs, single.log_probs) << batch;
  }
}

TEST_F(Bigrams, AreExtendedAsTheModelGoesOnByItself) {
  for (const std::vector<Token>& before : {std::vector<Token>{}, {7, 3, 250}}) {
    const BigramTable made = table(100, 1 << 20, before);
    GreedyExtension extension{3, 2, {}};
    int groups = 0;
    EXPECT_FALSE(extend_greedily(tiny_.engine, made, 70, extension, [&] { return ++groups < 3; }));
    EXPECT_EQ(extension.tokens_done(), 30);  // seven rows each
    EXPECT_TRUE(extend_greedily(tiny_.engine, made, 33, extension, [] { return true; }));
    const int vocab = tiny_.engine.config().vocab;
    ASSERT_EQ(extension.tokens_done(), vocab);
    sampling::Sampler greedy({}, vocab, 0);
    for (Token token = 0; token < vocab; token += 13) {
      for (int rank = 0; rank < 3; ++rank) {
        std::vector<Token> text = before;
        text.push_back(token);
        text.push_back(made.next[static_cast<std::size_t>(token * kTop + rank)]);
        decode::Decoder decoder(tiny_.engine, 20);
        const auto generated = decoder.decode(text, greedy, nullptr, {.max_new = 2}).tokens;
        const auto first = extension.next.begin() + (token * 3 + rank) * 2;
        EXPECT_EQ(std::vector<Token>(first, first + 2), generated) << token << ", rank " << rank;
      }
    }
  }
}

TEST_F(Bigrams, GoOnWhereTheyWereBrokenOff) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "bigrams";
  const auto loaded = [&](const char* work) {
    BigramTable table;
    table.top = kTop;
    const data::Journal journal(path, work);
    for (const data::Journal::Entry& rows : journal.kept()) append_rows(rows, table);
    return table;
  };
  EXPECT_EQ(loaded("top 5").rows(), 0);
  {
    data::Journal journal(path, "top 5");
    const BigramTable begun = table(50, 1);
    journal.append(numbers_of(begun));
    BigramTable next;
    next.top = kTop;
    next.first = 50;
    EXPECT_TRUE(fill_bigram_table(tiny_.engine, 30, 100, next, [] { return true; }));
    ASSERT_EQ(next.rows(), 50);
    journal.append(numbers_of(next));
  }
  BigramTable resumed = loaded("top 5");
  ASSERT_EQ(resumed.rows(), 100);
  int passes = 0;
  EXPECT_TRUE(
      fill_bigram_table(tiny_.engine, 50, vocab(), resumed, [&passes] { return ++passes > 0; }));
  EXPECT_EQ(passes, 4);  // of 50 for the 174 that were left
  EXPECT_EQ(resumed.next, table(64).next);
  EXPECT_EQ(resumed.log_probs, table(64).log_probs);
  EXPECT_EQ(loaded("top 5").rows(), 100);
  EXPECT_EQ(loaded("top 6").rows(), 0);
}

}  // namespace
}  // namespace outrider::calibrate
