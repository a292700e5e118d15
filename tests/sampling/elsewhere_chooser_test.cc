// Choices and scores on an emulated GPU are those of the processor, bit for bit.

#include "runtime/sampling/elsewhere_chooser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/token_choice.h"
#include "tests/support/logit_rows.h"
#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

using test::LogitRow;

constexpr float kImpossible = test::kImpossibleLogit;
// Two parts of a row, of which the second is short, and so is its last block of noise.
constexpr int kVocabOfRows = 5003;
// Of three rows and a half: more rows take turns.
constexpr std::size_t kCandidateBytes = 7 * kVocabOfRows * sizeof(engine::cuda::Candidate) / 2;

std::vector<LogitRow> rows_of_all_kinds() { return test::logit_rows_of_all_kinds(kVocabOfRows); }

class ElsewhereChooserTest : public testing::Test {
 protected:
  ElsewhereChooserTest() {
    gpu_->device = engine::cuda::emulated::make_emulated_device({.os_threads = 2});
    gpu_->kernels = engine::cuda::emulated::make_kernels(*gpu_->device);
    chooser_ = new_chooser(20);
  }

  std::unique_ptr<Chooser> new_chooser(int top) const {
    return std::make_unique<ElsewhereChooser>(
        HeadVocabulary(kVocabOfRows),
        std::make_unique<engine::cuda::CudaRowReader>(
            gpu_, kVocabOfRows, engine::RowReaderOptions{.top = top}, kCandidateBytes),
        nullptr, true);
  }

  void leave(const std::vector<LogitRow>& rows) { test::leave_on_device(gpu_, rows, logits_); }

  /// @param masks  of the tokens that may follow each row; none: all may
  void expect_the_processors_choices(const std::vector<LogitRow>& rows,
                                     const std::vector<SamplerOptions>& all,
                                     const std::vector<std::vector<std::uint32_t>>& masks = {}) {
    leave(rows);
    TokenChoice choice(kVocabOfRows);
    std::vector<AskedRow> asked;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t r = 0; r < rows.size(); ++r)
        asked.push_back({.row = static_cast<int>(r),
                         .position = static_cast<std::int64_t>(100 * i + r),
                         .sampling = SequenceSampling{all[i], 7 * i + 1, counts_},
                         .allowed = masks.empty() ? TokenMask() : TokenMask(masks[r])});
    chooser_->answer(logits_, asked);
    for (const AskedRow& one : asked) {
      const SamplerOptions& o = one.sampling->options;
      std::vector<float> room;
      const auto logits = masked(rows[static_cast<std::size_t>(one.row)], one.allowed, room);
      EXPECT_EQ(one.token, choice.choose(*one.sampling, logits, one.position))
          << "row " << one.row << ", T " << o.temperature << ", top-k " << o.top_k << ", top-p "
          << o.top_p << ", min-p " << o.min_p << ", repetition " << o.repetition_penalty;
    }
  }

  std::shared_ptr<engine::cuda::Gpu> gpu_ = std::make_shared<engine::cuda::Gpu>();
  std::unique_ptr<Chooser> chooser_;
  engine::Logits logits_;
  TokenCounts counts_{std::vector<Token>{5, 6, 4999, 77}};
};

TEST_F(ElsewhereChooserTest, ChoosesWithoutFiltersAsTheProcessorDoes) {
  counts_.add(6);
  counts_.add(4100);
  counts_.add(4100);
  std::vector<SamplerOptions> all;
  for (const double temperature : {0.0, 0.3, 1.0, 2.5}) {
    all.push_back({.temperature = temperature});
    all.push_back({.temperature = temperature,
                   .repetition_penalty = 1.7,
                   .presence_penalty = 0.5,
                   .frequency_penalty = 0.25,
                   .logit_bias = {{6, 3}, {2500, 9.5}, {5002, -40}}});
    all.push_back({.temperature = temperature, .logit_bias = {{4700, 30}}});
  }
  expect_the_processors_choices(rows_of_all_kinds(), all);
}

TEST_F(ElsewhereChooserTest, FiltersAsTheProcessorDoes) {
  const std::vector<LogitRow> rows = rows_of_all_kinds();
  expect_the_processors_choices({rows[0], rows[2], rows[3], rows[4]},
                                {{.temperature = 1, .top_k = 1},
                                 {.temperature = 2.5, .top_k = 40},
                                 {.temperature = 1, .top_k = 2 * kVocabOfRows},
                                 {.temperature = 3, .top_k = 400, .top_p = 0.7},
                                 {.temperature = 0.9, .top_p = 0},
                                 {.temperature = 1, .top_p = 0.5},
                                 {.temperature = 2, .top_p = 0.95},
                                 {.temperature = 1, .min_p = 0.05},
                                 {.temperature = 1, .top_p = 0.99, .min_p = 0.001},
                                 {.temperature = 2, .top_k = 300, .top_p = 0.9, .min_p = 0.01}});
  expect_the_processors_choices({rows[1], rows[5], rows[6]}, {test::every_sampler_option()});
}

/// Where what is likely is not enough: top-p with unlikely tokens, whose probability has to be known.
TEST_F(ElsewhereChooserTest, ReachesUnlikelyTokensAsTheProcessorDoes) {
  LogitRow row(kVocabOfRows, -16.5f);  // together 3e-4 of the best
  row[3] = 0;
  row[4] = -15;
  std::mt19937_64 random(3);
  for (int i = 100; i < 300; ++i)
    row[static_cast<std::size_t>(i)] = -16 - 0.01f * static_cast<float>(random() % 400);
  leave({row});
  // Positions at which the noise prefers one of them, if the filter leaves it.
  TokenChoice choice(kVocabOfRows);
  const SamplerOptions all = {.temperature = 1},
                       nearly_all = {.temperature = 1, .top_p = 1 - 1e-16};
  int found = 0;
  for (std::int64_t position = 0; found < 3; ++position) {
    const Token unlikely = choice.choose({all, 1, counts_}, row, position);
    if (unlikely == 3 || unlikely == 4) continue;
    ++found;
    EXPECT_EQ(chooser_->choose(logits_, 0, {nearly_all, 1, counts_}, position), unlikely);
    for (const double top_p : {0.99966, 0.9998, 0.9999}) {
      const SamplerOptions options = {.temperature = 1, .top_p = top_p};
      const SequenceSampling some{options, 1, counts_};
      EXPECT_EQ(chooser_->choose(logits_, 0, some, position), choice.choose(some, row, position))
          << position << " " << top_p;
    }
  }
}

/// What a grammar leaves: here the chooser has nothing on the host that could read the rows.
TEST_F(ElsewhereChooserTest, ChoosesAmongAllowedTokensAsTheProcessorDoes) {
  std::vector<LogitRow> rows = rows_of_all_kinds();
  rows.push_back(rows[0]);
  rows[0][3] = std::numeric_limits<float>::quiet_NaN();  // may not be chosen, and so is not read
  std::mt19937_64 random(4);
  std::vector<std::vector<std::uint32_t>> masks(
      rows.size(), std::vector<std::uint32_t>(mask_words(kVocabOfRows)));
  for (std::vector<std::uint32_t>& mask : masks)
    for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(random() & random());
  masks[0][0] &= ~8u;
  masks[1].assign(masks[1].size(), 0);
  masks[1][5002 / 32] = 1u << 5002 % 32;  // the last one alone
  for (std::uint32_t& word : masks[4]) word = ~0u;
  masks[5][4999 / 32] &= ~(1u << 4999 % 32);  // not the one that is nearly certain
  masks[7].clear();                           // all
  expect_the_processors_choices(rows,
                                {{},
                                 {.temperature = 1},
                                 {.temperature = 2.5, .top_k = 40},
                                 {.temperature = 0, .logit_bias = {{6, 3}, {4700, 30}}},
                                 test::every_sampler_option()},
                                masks);
  AskedRow asked = {.row = 1, .sampling = SequenceSampling::greedy(), .allowed = masks[2]};
  const std::vector<std::uint32_t> none(masks[2].size(), 0), others(masks[2].size() + 1, ~0u);
  for (const TokenMask mask : {TokenMask(none), TokenMask(others)}) {
    asked.allowed = mask;
    EXPECT_THROW(chooser_->answer(logits_, {&asked, 1}), std::logic_error) << mask.size();
  }
}

/// Drafters rank the tokens of a trimmed head; a choice among them would be by the noise of other tokens.
TEST_F(ElsewhereChooserTest, ChoosesByNoiseAmongAllTokensOnly) {
  std::vector<LogitRow> rows = rows_of_all_kinds();
  leave({rows[0]});
  std::vector<Token> tokens(kVocabOfRows);
  std::iota(tokens.begin(), tokens.end(), 1000);
  engine::cuda::CudaRowReader reader(gpu_, kVocabOfRows, {.tokens = tokens});
  const auto answer_to = [&](engine::RowQuestion question) {
    engine::RowAnswer answer;
    reader.answer(logits_, {&question, 1}, {&answer, 1});
    return answer;
  };
  for (const engine::RowQuestion& question :
       {engine::RowQuestion{.is_chosen = true, .temperature = 1},
        engine::RowQuestion{.is_chosen = true, .temperature = 1, .top_k = 5}})
    EXPECT_THROW(answer_to(question), std::logic_error);
  const engine::RowAnswer ranked = answer_to({.temperature = 1, .ranked = 3});
  EXPECT_EQ(ranked.ranked.size(), 3u);
  EXPECT_EQ(answer_to({.is_chosen = true}).token, answer_to({.ranked = 1}).ranked[0].token);
}

TEST_F(ElsewhereChooserTest, ScoresAsTheProcessorDoes) {
  const std::vector<LogitRow> rows = rows_of_all_kinds();
  leave(rows);
  for (const int top : {0, 1, 20, kVocabOfRows}) {
    const auto chooser = new_chooser(top);
    RowScorer scorer(top, kVocabOfRows, engine::cpu::kernels_for(engine::Isa::kAuto).score);
    const SamplerOptions greedy;
    std::vector<RowScores> found(rows.size());
    std::vector<AskedRow> asked;
    for (std::size_t r = 0; r < rows.size(); ++r)
      asked.push_back({.row = static_cast<int>(r), .scores = &found[r], .token = 7});
    asked[2].sampling.emplace(SequenceSampling{greedy, 1, counts_});
    chooser->answer(logits_, asked);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      RowScores expected;
      scorer.score(rows[r], expected);
      EXPECT_EQ(found[r].ids, expected.ids) << r << " " << top;
      EXPECT_EQ(found[r].log_probs, expected.log_probs) << r << " " << top;
      EXPECT_EQ(found[r].entropy, expected.entropy) << r << " " << top;
      EXPECT_EQ(found[r].outside, expected.outside) << r << " " << top;
      EXPECT_EQ(asked[r].token, r == 2 ? scorer.most_likely() : 7) << r;
    }
  }
}

TEST_F(ElsewhereChooserTest, AnswersMoreRowsThanOneLaunchTakes) {
  std::mt19937_64 random(1);
  std::vector<LogitRow> rows(70, LogitRow(kVocabOfRows));
  for (LogitRow& row : rows)
    for (float& z : row) z = static_cast<float>(random() % 1000) / 50;
  expect_the_processors_choices(rows, {{.temperature = 1}});
}

TEST_F(ElsewhereChooserTest, RefusesWhatTheProcessorRefuses) {
  const SamplerOptions sampled = {.temperature = 1, .top_p = 0.5};
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), kImpossible}) {
    const float others = bad == kImpossible ? kImpossible : 1.0f;
    LogitRow row(kVocabOfRows, others);
    row[4500] = bad;
    LogitRow steep(kVocabOfRows, 1);
    steep[7] = 20;
    leave({LogitRow(kVocabOfRows, 1), row, steep});
    for (const SamplerOptions& options :
         {SamplerOptions{}, SamplerOptions{.temperature = 1}, sampled}) {
      const SequenceSampling sampling{options, 1, counts_};
      EXPECT_THROW(chooser_->choose(logits_, 1, sampling, 3), std::logic_error) << bad;
      EXPECT_NO_THROW(chooser_->choose(logits_, 0, sampling, 3));
    }
    RowScores scores;
    AskedRow asked = {.row = 1, .scores = &scores};
    EXPECT_THROW(chooser_->answer(logits_, {&asked, 1}), std::logic_error) << bad;
    // Of a draft that may be rejected, such a row is no error of those beside it.
    const SequenceSampling sampling{sampled, 1, counts_};
    std::vector<AskedRow> draft(3, {.position = 3, .sampling = sampling, .may_be_rejected = true});
    RowScores of_steep;
    draft[1].row = 1;
    draft[1].scores = &scores;
    draft[2].row = 2;
    draft[2].scores = &of_steep;
    chooser_->answer(logits_, draft);
    EXPECT_EQ(draft[0].token, chooser_->choose(logits_, 0, sampling, 3));
    EXPECT_EQ(draft[1].token, engine::RowAnswer::kRefused);
    EXPECT_EQ(draft[2].token, chooser_->choose(logits_, 2, sampling, 3));
    EXPECT_EQ(of_steep.ids.front(), 7) << "the scores are its own, after a row that was refused";
    // Nor does the refusal stay for what is asked next.
    std::vector<AskedRow> scored = {{.row = 0}, {.row = 2, .scores = &scores}};
    scored[0].scores = &of_steep;
    chooser_->answer(logits_, scored);
    EXPECT_EQ(scores.ids.front(), 7);
  }
  EXPECT_THROW(chooser_->choose(logits_, 3, SequenceSampling::greedy(), 0), std::logic_error);
  logits_.leave(1, kVocabOfRows + 1, logits_.elsewhere());
  EXPECT_THROW(chooser_->choose(logits_, 0, SequenceSampling::greedy(), 0), std::logic_error);
}

TEST(MakeChooser, AsksTheGpuWhereItsRowsLie) {
  const test::TinyEngine tiny(model::WeightType::kF32, 1, 1);
  const engine::EngineOptions on_gpu = {.device = {engine::DeviceChoice::Kind::kCudaEmulated}};
  const auto gpu = engine::make_engine(tiny.model, on_gpu);
  const auto chooser = make_chooser(*gpu);
  const auto cache = gpu->make_cache(8), other_cache = gpu->make_cache(8);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, std::vector<Token>{5, 6}, true);
  gpu->forward(pass);
  ASSERT_NE(pass.logits.elsewhere(), nullptr);
  TokenChoice choice(gpu->num_logits());
  const SamplerOptions options = {.temperature = 1};
  const TokenCounts counts{{}};
  const SequenceSampling sampling{options, 3, counts};
  const Token first = chooser->choose(pass.logits, 0, sampling, 1);
  const float number = pass.logits.number(1, 7);
  EXPECT_EQ(first, choice.choose(sampling, pass.logits.row(0), 1));
  EXPECT_EQ(number, pass.logits.row(1)[7]);
  // Rows stay while other passes run, and so do those of a copy.
  const std::vector<float> row(pass.logits.row(1).begin(), pass.logits.row(1).end());
  const engine::Pass copy = pass;
  engine::Pass other;
  other.sequences = {other_cache.get()};
  other.add_chain(0, std::vector<Token>{9, 8, 7}, true);
  gpu->forward(other);
  EXPECT_EQ(chooser->choose(pass.logits, 0, sampling, 1), first);
  pass.rows.clear();
  pass.add_chain(0, std::vector<Token>{1, 2}, true);
  gpu->forward(pass);
  EXPECT_EQ(chooser->choose(copy.logits, 0, sampling, 1), first);
  EXPECT_EQ(std::vector<float>(copy.logits.row(1).begin(), copy.logits.row(1).end()), row);
  EXPECT_EQ(chooser->choose(pass.logits, 0, sampling, 1),
            choice.choose(sampling, pass.logits.row(0), 1));
}

}  // namespace
}  // namespace outrider::sampling
