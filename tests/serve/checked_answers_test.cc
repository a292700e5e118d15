// Answers to requests that predict them, or have them checked.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/methods/by_rejection.h"
#include "tests/serve/served_answers.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

TEST_F(AnswersTest, APredictionIsCountedAndChangesNothing) {
  json body = asking_;
  body["temperature"] = 0;
  const json plain = serving_.chat("abcabcabc", body).json();
  const std::string text = plain["choices"][0]["message"]["content"];
  EXPECT_FALSE(plain["usage"].contains("completion_tokens_details"));
  for (const char* method : {"ar", "ssd"}) {
    body["speculation"] = method;
    body["prediction"] = {{"type", "content"}, {"content", text}};
    const json right = serving_.chat("abcabcabc", body).json();
    EXPECT_EQ(tokens_of(right), tokens_of(plain));
    const json& details = right["usage"]["completion_tokens_details"];
    EXPECT_GT(details["accepted_prediction_tokens"], 0) << method;
    EXPECT_LT(right["outrider"]["texts"][0]["passes"], 23) << "plain decoding has 23";
    body["prediction"]["content"] = "zyxwvuzyxwvu";
    const json wrong = serving_.chat("abcabcabc", body).json();
    EXPECT_EQ(tokens_of(wrong), tokens_of(plain));
    const json& by_drafter = right["outrider"]["texts"][0]["by_drafter"]["prediction"];
    EXPECT_EQ(details["accepted_prediction_tokens"], by_drafter["accepted"]);
    EXPECT_EQ(details["rejected_prediction_tokens"],
              by_drafter["drafted"].get<int>() - by_drafter["accepted"].get<int>());
    EXPECT_EQ(wrong["usage"]["completion_tokens_details"]["accepted_prediction_tokens"], 0);
  }
}

TEST_F(AnswersTest, CheckDecodesPlainlyTooAndSaysEqual) {
  json body = asking_;
  body.update({{"temperature", 0.7}, {"speculation", {{"method", "ssd"}, {"check", true}}}});
  const json answer = serving_.chat("abcabcabc", body).json();
  const json& check = answer["outrider"]["texts"][0]["check"];
  EXPECT_EQ(check["equal"], true);
  EXPECT_EQ(check["tokens"], answer["usage"]["completion_tokens"]);
  EXPECT_FALSE(check.contains("difference"));
}

TEST_F(AnswersTest, CheckSaysWhereATextDiffers) {
  // By rejection the text depends on the drafts; the server was told to permit it, and the request's check is of
  // its own method, which hides that it is.
  test::Serving serving([](ServerOptions& options) {
    options.api.rules.speculation.allow_rejection = true;
    options.api.default_method = "ssd";
    const auto make = options.api.rules.speculation.new_method;
    options.api.rules.speculation.new_method = [make](const std::string& name) {
      auto method = make(name);
      EXPECT_TRUE(test::verify_by_rejection(*method)) << name;
      return method;
    };
  });
  bool differs = false;
  for (int seed = 0; seed < 20 && !differs; ++seed) {
    json body = asking_;
    body.update({{"temperature", 1.5}, {"seed", seed}, {"speculation", "check"}});
    const json check = serving.chat("abcabcabc", body).json()["outrider"]["texts"][0]["check"];
    differs = !check["equal"];
    if (differs) {
      EXPECT_NE(check["difference"].get<std::string>().find("of the text differs: ssd gave token "),
                std::string::npos)
          << check;
    }
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace outrider::serve
