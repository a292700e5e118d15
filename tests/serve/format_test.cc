// Answers of a format: JSON by a schema, the same as plain decoding gives with the same grammar.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/grammar/grammars.h"
#include "tests/serve/serving.h"

namespace outrider::serve {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

class FormatTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!grammar::has_grammars()) GTEST_SKIP() << "built with -DOUTRIDER_GRAMMAR=OFF";
  }

  /// The answer to a chat with a format. Keys keep their order, as in the schema.
  test::Received chat(const ordered_json& format, const json& more) const {
    ordered_json body = more;
    body["messages"] = {{{"role", "user"}, {"content", "abcabcabc"}}};
    body["response_format"] = format;
    return test::ask(serving_.port(),
                     test::http_request("POST", "/v1/chat/completions", body.dump(),
                                        "Content-Type: application/json\r\n"));
  }
  static std::string text_of(const json& answer, std::size_t choice = 0) {
    return answer.at("choices").at(choice).at("message").at("content");
  }
  /// What plain decoding gives with the same grammar.
  inference::GeneratedText plain(double temperature, int sample = 1) {
    inference::Target& target = serving_.target();
    grammar::Grammars grammars(target.tokenizer(), target.end_tokens(),
                               target.model().config.vocab);
    inference::GenerationOptions options = {.max_new = 100};
    options.sampler.temperature = temperature;
    options.sampler.seed = 3;
    options.new_constraint =
        grammars.compile({grammar::AnswerFormat::Kind::kJsonSchema, schema_.dump()});
    return serving_.plain(serving_.asked("abcabcabc"), options, sample);
  }

  test::Serving serving_;
  const ordered_json schema_ = ordered_json::parse(
      R"({"type": "object", "properties": {"z": {"type": "string", "maxLength": 4}, "a": {"enum": ["one", "two"]}},
          "required": ["z", "a"]})");
  const ordered_json format_ = {
      {"type", "json_schema"},
      {"json_schema", {{"name", "x"}, {"strict", true}, {"schema", schema_}}}};
};

TEST_F(FormatTest, AnAnswerIsOfItsSchemaAndThatOfPlainDecoding) {
  for (const double temperature : {0.0, 0.9}) {
    for (const char* method : {"ar", "pld", "ssd", "gsd"}) {
      const test::Received received = chat(
          format_, {{"temperature", temperature}, {"seed", 3}, {"speculation", method}, {"n", 2}});
      ASSERT_EQ(received.status, 200) << received.body;
      const json answer = received.json();
      for (int sample = 0; sample < 2; ++sample) {
        const std::string text = text_of(answer, static_cast<std::size_t>(sample));
        EXPECT_EQ(text, plain(temperature, sample + 1).text) << method;
        EXPECT_TRUE(text.starts_with("{\"z\": \"")) << text << ": the order of the schema";
        EXPECT_TRUE(json::parse(text).contains("a"));
        EXPECT_EQ(answer["choices"][static_cast<std::size_t>(sample)]["finish_reason"], "stop");
      }
      const json& by_drafter = answer["outrider"]["texts"][0]["by_drafter"];
      EXPECT_EQ(by_drafter.contains("grammar"), std::string(method) != "ar") << by_drafter;
    }
  }
}

TEST_F(FormatTest, AStreamHasTheSameText) {
  const test::Received received =
      chat(format_, {{"temperature", 0}, {"stream", true}, {"max_tokens", 100}});
  std::string text, finish;
  for (const std::string& event : received.events()) {
    if (event == "[DONE]") continue;
    const json one = json::parse(event);
    if (one["choices"].empty()) continue;
    text += one["choices"][0]["delta"].value("content", "");
    if (one["choices"][0]["finish_reason"].is_string()) finish = one["choices"][0]["finish_reason"];
  }
  EXPECT_EQ(text, plain(0).text);
  EXPECT_EQ(finish, "stop");
}

TEST_F(FormatTest, AnAnswerThatIsCutOffSaysLength) {
  const json answer = chat(format_, {{"max_tokens", 5}, {"temperature", 0}}).json();
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  EXPECT_TRUE(plain(0).text.starts_with(text_of(answer)));
}

TEST_F(FormatTest, AnyObjectIsAnObject) {
  const text::Tokenizer& tokenizer = serving_.target().tokenizer();
  json bias;  // random weights would hardly ever close it
  for (const char* piece : {"\"", "}", "]"})
    bias[std::to_string(tokenizer.encode(piece, false).at(0))] = 8;
  const json answer =
      chat({{"type", "json_object"}}, {{"logit_bias", bias}, {"seed", 1}, {"max_tokens", 300}})
          .json();
  EXPECT_TRUE(json::parse(text_of(answer)).is_object()) << text_of(answer);
}

TEST_F(FormatTest, CheckAndPredictionsAreOfTheFormatToo) {
  const json answer =
      chat(format_,
           {{"temperature", 0},
            {"speculation", {{"method", "pld"}, {"check", true}}},
            {"prediction", {{"type", "content"}, {"content", plain(0).text + " and more"}}}})
          .json();
  EXPECT_EQ(text_of(answer), plain(0).text);
  EXPECT_EQ(answer["outrider"]["texts"][0]["check"]["equal"], true) << answer["outrider"];
}

TEST_F(FormatTest, WhatTextsLearnedIsNotKeptForTextsWithoutAFormat) {
  const auto free = [&] {
    return serving_.chat("abcabcabc", {{"temperature", 0}, {"max_tokens", 24}}).json();
  };
  const json before = free();
  chat(format_, {{"temperature", 0}, {"max_tokens", 30}});
  const json after = free();
  EXPECT_EQ(text_of(after), text_of(before));
  EXPECT_FALSE(after["outrider"]["texts"][0]["by_drafter"].contains("grammar"));
}

TEST_F(FormatTest, ASchemaThatCannotBeEnsuredIsRefused) {
  const auto refused = [&](const ordered_json& schema) {
    return chat({{"type", "json_schema"}, {"json_schema", {{"schema", schema}}}},
                {{"stream", true}});
  };
  for (const auto& [schema, message] : std::vector<std::pair<ordered_json, std::string>>{
           {{{"type", "strin"}}, "Unsupported type"},
           {{{"not", {{"type", "null"}}}}, "\"not\" is not supported"}}) {
    const test::Received received = refused(schema);
    EXPECT_EQ(received.status, 400) << received.body;
    const json error = received.json()["error"];
    EXPECT_NE(error["message"].get<std::string>().find(message), std::string::npos) << error;
    EXPECT_TRUE(error["message"].get<std::string>().starts_with("response_format: ")) << error;
    EXPECT_EQ(error["param"], "response_format");
  }
}

TEST_F(FormatTest, ManyAtOnceAreAnsweredEach) {
  std::vector<std::thread> clients;
  std::vector<json> answers(6);
  for (std::size_t i = 0; i < answers.size(); ++i)
    clients.emplace_back([&, i] {
      const auto format = i % 2 == 0 ? format_ : ordered_json{{"type", "text"}};
      answers[i] = chat(format, {{"temperature", 0}, {"max_tokens", 100}}).json();
    });
  for (std::thread& client : clients) client.join();
  for (const json& answer : answers) ASSERT_TRUE(answer.contains("choices")) << answer;
  const std::string expected = plain(0).text;
  for (std::size_t i = 0; i < answers.size(); i += 2) EXPECT_EQ(text_of(answers[i]), expected);
  for (std::size_t i = 3; i < answers.size(); i += 2)
    EXPECT_EQ(text_of(answers[i]), text_of(answers[1]));
}

TEST(WithoutGrammars, AFormatIsRefusedWithTheCure) {
  if (grammar::has_grammars()) GTEST_SKIP() << "built with grammars";
  const test::Serving serving;
  const json error =
      serving.chat("abc", {{"response_format", {{"type", "json_object"}}}}).json()["error"];
  EXPECT_NE(error["message"].get<std::string>().find("-DOUTRIDER_GRAMMAR=ON"), std::string::npos);
  EXPECT_EQ(error["code"], "unsupported");
}

}  // namespace
}  // namespace outrider::serve
