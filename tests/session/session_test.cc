#include "runtime/session/session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/inference/dialogue.h"
#include "runtime/methods/settings.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::session {
namespace {

class SessionTest : public testing::Test {
 protected:
  inference::TargetOptions of_target() { return {.model = calibrated_.target().options().model}; }
  std::vector<Token> answer(Session& session, const methods::PreparedMethod& method) {
    inference::Generation generation(session.target(), session.generation(), 256,
                                     method.new_drafter());
    return generation.generate({"p", ""}, inference::Dialogue(session.target()).ask("abcabcabc"))
        .result.tokens;
  }

  test::CalibratedTarget calibrated_;
};

TEST_F(SessionTest, EveryMethodPreparedLaterGivesTheTextOfTheFirst) {
  const auto plain = methods::new_method("ar");
  Session session({.target = of_target(), .generation = {.max_new = 24}, .method = *plain});
  const std::vector<Token> expected = answer(session, session.method());
  EXPECT_EQ(session.method().name(), "ar");
  for (const char* name : {"pld", "ssd", "bigram"})
    EXPECT_EQ(answer(session, session.prepare(*calibrated_.method(name), 0)), expected) << name;
}

TEST_F(SessionTest, MethodsOfOtherTemperaturesShareWhatWasLoaded) {
  const auto plain = methods::new_method("ar");
  std::vector<std::string> told;
  Session session(
      {.target = of_target(),
       .method = *plain,
       .notices = {.inform = [&](const std::string& text) { told.push_back(text); }, .warn = {}}});
  const methods::MethodTarget& cold = session.for_methods();
  const methods::MethodTarget hot = cold.at(0.8);
  EXPECT_EQ(cold.temperature(), 0);
  EXPECT_EQ(hot.temperature(), 0.8);
  int loads = 0;
  const auto load = [&] { return ++loads; };
  const auto first = cold.load_once<int>("a", load);
  EXPECT_EQ(hot.load_once<int>("a", load), first);
  EXPECT_EQ(loads, 1);
  cold.inform("once");
  hot.inform("once");
  EXPECT_EQ(told, std::vector<std::string>{"once"});
}

TEST_F(SessionTest, RefusesSettingsOfTheSamplerBeforeAnythingIsPrepared) {
  const auto method = methods::new_method("ngrammys");  // which would be refused for its tables
  test::expect_input_error(
      [&] {
        Session(
            {.target = of_target(), .generation = {.sampler = {.top_p = 2}}, .method = *method});
      },
      "--top-p");
}

}  // namespace
}  // namespace outrider::session
