// What a drafter asks about rows on an emulated GPU is answered with the processor's bits.

#include "runtime/sampling/draft_question.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/sampling/cpu_chooser.h"
#include "runtime/sampling/elsewhere_chooser.h"
#include "tests/support/logit_rows.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

using Choice = DraftQuestion::Choice;

// Two parts of a row, of which the second is short, and so is its last block of noise.
constexpr int kRowOfHead = 5003;
constexpr int kKeptOfRow = 9;

class DraftQuestionTest : public testing::Test {
 protected:
  DraftQuestionTest() {
    gpu_->device = engine::cuda::emulated::make_emulated_device({.os_threads = 2});
    gpu_->kernels = engine::cuda::emulated::make_kernels(*gpu_->device);
    rows_ = test::logit_rows_of_all_kinds(kRowOfHead);
    test::leave_on_device(gpu_, rows_, elsewhere_);
    test::leave_on_host(rows_, on_host_);
  }

  static std::unique_ptr<Chooser> on_host(const HeadVocabulary& vocabulary) {
    return std::make_unique<CpuChooser>(
        vocabulary, engine::cpu::kernels_for(engine::Isa::kAuto).score, kKeptOfRow);
  }
  /// With nothing on the host that could read the rows.
  std::unique_ptr<Chooser> on_gpu(const HeadVocabulary& vocabulary) const {
    auto reader = std::make_unique<engine::cuda::CudaRowReader>(
        gpu_, kRowOfHead,
        engine::RowReaderOptions{.top = kKeptOfRow,
                                 .width = static_cast<int>(vocabulary.size()),
                                 .tokens = vocabulary.head_tokens()});
    return std::make_unique<ElsewhereChooser>(vocabulary, std::move(reader), nullptr, true);
  }

  /// All rows, each with every kind of question.
  std::vector<DraftQuestion> questions() const {
    std::vector<DraftQuestion> all;
    for (int row = 0; row < std::ssize(rows_); ++row)
      for (const auto& [choice, most, reach] : {std::tuple(Choice::kNone, 1, 1.0),
                                                {Choice::kToken, 1, 1.0},
                                                {Choice::kTokenAndLead, 1, 1.0},
                                                {Choice::kUnnormalised, 32, 7.0},
                                                {Choice::kUnnormalised, 1, 0.5},
                                                {Choice::kRanked, 1, 1.0},
                                                {Choice::kRanked, 4, 1.0},
                                                {Choice::kRanked, 64, 1.0}}) {
        const bool reaches = choice == Choice::kUnnormalised;
        const bool is_odd = all.size() % 2 == 1;
        all.push_back({.row = row,
                       .position = 40 + std::ssize(all),
                       .choice = choice,
                       .most = most,
                       .reach = reaches ? reach : std::numeric_limits<double>::infinity(),
                       .wants_softmax = choice == Choice::kNone || is_odd,
                       .wants_best = is_odd});
      }
    return all;
  }

  static void expect_same(const DraftQuestion& asked, const DraftAnswer& found,
                          const DraftAnswer& expected) {
    if (asked.choice == Choice::kToken || asked.choice == Choice::kTokenAndLead) {
      EXPECT_EQ(found.chosen.token, expected.chosen.token);
      EXPECT_EQ(found.chosen.lead, expected.chosen.lead);
      EXPECT_EQ(found.logit, expected.logit);
    } else if (asked.choice != Choice::kNone) {
      ASSERT_EQ(found.ranked.size(), expected.ranked.size());
      for (std::size_t i = 0; i < found.ranked.size(); ++i) {
        EXPECT_EQ(found.ranked[i].token, expected.ranked[i].token) << i;
        EXPECT_EQ(found.ranked[i].value, expected.ranked[i].value) << i;
        EXPECT_EQ(found.ranked[i].score, expected.ranked[i].score) << i;
      }
      EXPECT_EQ(found.logits, expected.logits);
    }
    if (!asked.wants_softmax && !asked.wants_best) return;
    EXPECT_EQ(found.softmax.largest, expected.softmax.largest);
    EXPECT_EQ(found.softmax.log_sum, expected.softmax.log_sum);
    EXPECT_EQ(found.sums.rest.exp_times, expected.sums.rest.exp_times);
    if (!asked.wants_best) return;
    ASSERT_EQ(found.sums.best.size(), expected.sums.best.size());
    for (std::size_t i = 0; i < found.sums.best.size(); ++i) {
      EXPECT_EQ(found.sums.best[i].token, expected.sums.best[i].token);
      EXPECT_EQ(found.sums.best[i].logit, expected.sums.best[i].logit);
    }
  }

  void expect_the_processors_answers(const HeadVocabulary& vocabulary) {
    const auto on_gpu = this->on_gpu(vocabulary), on_host = this->on_host(vocabulary);
    const TokenCounts counts(std::vector<Token>{5, 6, 4201, 77, 6, 4300});
    const std::vector<DraftQuestion> asked = questions();
    std::vector<DraftAnswer> found(asked.size()), expected(asked.size());
    for (const SamplerOptions& options : std::vector<SamplerOptions>{
             {},
             {.temperature = 1},
             {.temperature = 0.6},
             {.temperature = 0, .frequency_penalty = 0.5, .logit_bias = {{2500, 9.5}, {7, 1}}},
             {.temperature = 2, .logit_bias = {{6, 3}, {2500, 9.5}, {4302, -40}}},
             {.temperature = 1, .top_k = 40},
             {.temperature = 1.5, .top_p = 0.9},
             {.temperature = 1, .min_p = 0.02},
             test::every_sampler_option()}) {
      const SequenceSampling sampling{options, 17, counts};
      on_gpu->answer(elsewhere_, sampling, asked, found);
      on_host->answer(on_host_, sampling, asked, expected);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        SCOPED_TRACE(testing::Message()
                     << "row " << asked[i].row << ", choice " << static_cast<int>(asked[i].choice)
                     << " of " << asked[i].most << ", T " << options.temperature << ", top-k "
                     << options.top_k << ", top-p " << options.top_p);
        expect_same(asked[i], found[i], expected[i]);
      }
    }
  }

  std::shared_ptr<engine::cuda::Gpu> gpu_ = std::make_shared<engine::cuda::Gpu>();
  std::vector<test::LogitRow> rows_;
  engine::Logits elsewhere_, on_host_;
};

TEST_F(DraftQuestionTest, ReadsAWholeHeadAsTheProcessorDoes) {
  expect_the_processors_answers(HeadVocabulary(kRowOfHead));
}

TEST_F(DraftQuestionTest, LeavesOutRowsThatTheTargetLacks) {
  expect_the_processors_answers({{}, kRowOfHead, kRowOfHead - 700});
}

/// The noise is that of the tokens, of which three lie in a block of noise, or two.
TEST_F(DraftQuestionTest, ReadsATrimmedHeadAsTheProcessorDoes) {
  std::vector<Token> tokens = test::every_token(3 * kRowOfHead, 1, 3);
  tokens[1] = 6;
  expect_the_processors_answers({tokens, kRowOfHead, 3 * kRowOfHead});
}

TEST_F(DraftQuestionTest, RefusesWhatTheProcessorRefuses) {
  rows_[2][4500] = std::numeric_limits<float>::quiet_NaN();
  test::leave_on_device(gpu_, rows_, elsewhere_);
  const auto chooser = on_gpu(HeadVocabulary(kRowOfHead));
  DraftAnswer answer;
  const SamplerOptions sampled = {.temperature = 1};
  const TokenCounts counts{{}};
  for (const SamplerOptions& options : {SamplerOptions{}, sampled})
    for (const Choice choice : {Choice::kNone, Choice::kToken, Choice::kRanked}) {
      const DraftQuestion question = {.row = 2, .choice = choice, .most = 3};
      EXPECT_THROW(chooser->answer(elsewhere_, {options, 1, counts}, {&question, 1}, {&answer, 1}),
                   std::logic_error);
    }
}

TEST_F(DraftQuestionTest, ReadersAreMadeForWhatARowHas) {
  using engine::RowReaderOptions;
  const std::vector<Token> two = {4, 8};
  for (const RowReaderOptions& wrong :
       {RowReaderOptions{.width = kRowOfHead + 1}, RowReaderOptions{.top = 8, .width = 7},
        RowReaderOptions{.width = 3, .tokens = two}})
    EXPECT_THROW(engine::cuda::CudaRowReader(gpu_, kRowOfHead, wrong), std::logic_error);
}

}  // namespace
}  // namespace outrider::sampling
