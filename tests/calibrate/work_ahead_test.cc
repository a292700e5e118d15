#include "calibrate/answers/work_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

namespace outrider::calibrate {
namespace {

Answer answer_of(int prompt, int made) {
  Answer answer;
  answer.tokens.resize(static_cast<std::size_t>(prompt + made));
  std::iota(answer.tokens.begin(), answer.tokens.end(), 0);
  answer.prompt = prompt;
  return answer;
}

TEST(WorkAhead, IsSampledByATextOfTheMiddleLength) {
  const WorkAhead ahead = work_on({answer_of(3, 7), answer_of(1, 90), answer_of(20, 10)});
  EXPECT_EQ(ahead.answers, 3);
  EXPECT_EQ(ahead.tokens, 10 + 91 + 30);
  EXPECT_EQ(ahead.to_make, 0);
  EXPECT_EQ(ahead.sample.tokens.size(), 30U);
  EXPECT_EQ(ahead.sample.prompt, 20);
  EXPECT_EQ(work_on({}).tokens, 0);
}

TEST(WorkAhead, ShortensALongSampleFromItsBeginning) {
  const WorkAhead ahead = work_on({answer_of(900, 100)});
  ASSERT_EQ(ahead.sample.tokens.size(), 384U);
  EXPECT_EQ(ahead.sample.prompt, 284);
  EXPECT_EQ(ahead.sample.tokens.back(), 999);
  Answer long_answer = answer_of(2, 998);
  long_answer.in_loop.assign(998, 1);
  const Answer sample = work_on({long_answer}).sample;
  EXPECT_EQ(sample.tokens.size(), 384U);
  EXPECT_EQ(sample.prompt, 1);
  EXPECT_LE(sample.in_loop.size(), static_cast<std::size_t>(sample.made()));
}

TEST(WorkAhead, TakesAsLongForAllTokensAsForTheSample) {
  WorkAhead ahead = work_on({answer_of(5, 5)});
  ahead.tokens = 1000;
  const auto work = [](const Answer& answer) {
    EXPECT_EQ(answer.tokens.size(), 10U);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  EXPECT_GE(ahead.seconds_of(work), 1);
  EXPECT_GE(ahead.share(0.5).seconds_of(work), 0.5);
  EXPECT_LT(ahead.share(0.01).seconds_of(work), 0.9);
}

TEST(WorkAhead, MakesUpATextOfTheVocabulary) {
  const Answer answer = made_up_answer(50, 200);
  EXPECT_EQ(answer.tokens.size(), 200U);
  EXPECT_EQ(answer.prompt, 100);
  const auto [least, most] = std::minmax_element(answer.tokens.begin(), answer.tokens.end());
  EXPECT_GE(*least, 0);
  EXPECT_LT(*most, 50);
}

}  // namespace
}  // namespace outrider::calibrate
