// The texts of the server are those of `runtime decode`: token for token, whatever drafts them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/serve/served_answers.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

TEST_F(AnswersTest, EveryMethodGivesTheTextOfDecode) {
  const std::vector<Token> prompt = serving_.asked("abcabcabc");
  for (const double temperature : {0.0, 0.9}) {
    const auto expected = serving_.plain(prompt, options(temperature, 5));
    for (const char* method :
         {"ar", "pld", "pld-plus-h", "bigram", "recycling", "ssd", "gsd", "parallelspec-eagle"}) {
      json body = asking_;
      body.update({{"temperature", temperature}, {"seed", 5}, {"speculation", method}});
      const test::Received received = serving_.chat("abcabcabc", body);
      ASSERT_EQ(received.status, 200) << received.body;
      const json answer = received.json();
      EXPECT_EQ(tokens_of(answer), expected.result.tokens) << method << ' ' << temperature;
      EXPECT_EQ(answer["choices"][0]["message"]["content"], expected.text);
      EXPECT_EQ(answer["outrider"]["texts"][0]["method"], method);
      EXPECT_EQ(answer["usage"]["prompt_tokens"], prompt.size());
      EXPECT_EQ(answer["usage"]["completion_tokens"], expected.result.tokens.size());
    }
  }
}

TEST_F(AnswersTest, AStreamHasAnEventAPassAndTheSameText) {
  json body = asking_;
  body.update(
      {{"temperature", 0}, {"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const auto expected = serving_.plain(serving_.asked("abcabcabc"), options(0, 0));
  const test::Received received = serving_.chat("abcabcabc", body);
  EXPECT_EQ(received.headers.at("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(received.headers.at("cache-control"), "no-cache");
  EXPECT_EQ(received.headers.at("x-accel-buffering"), "no");
  const Streamed all = streamed(received);
  EXPECT_TRUE(all.is_done);
  EXPECT_EQ(all.text, expected.text);
  EXPECT_EQ(all.tokens, expected.result.tokens);
  const json &first = all.events.front(), &last = all.events.back();
  EXPECT_EQ(first["choices"][0]["delta"], (json{{"role", "assistant"}, {"content", ""}}));
  EXPECT_TRUE(last["choices"].empty());
  EXPECT_EQ(last["usage"]["completion_tokens"], expected.result.tokens.size());
  const json& before_last = all.events[all.events.size() - 2];
  EXPECT_EQ(before_last["choices"][0]["finish_reason"], "length");
  for (const json& event : all.events) {
    EXPECT_EQ(event["object"], "chat.completion.chunk");
    EXPECT_EQ(event["id"], first["id"]);
    if (event != last) {
      EXPECT_TRUE(event.at("usage").is_null());
    }
  }
  // One for each pass besides the first token's, the role and the two at the end.
  const int passes = last["outrider"]["texts"][0]["passes"];
  EXPECT_LE(std::ssize(all.events), passes + 4);
  EXPECT_LT(passes, 23) << "drafts were accepted";
  EXPECT_EQ(last["outrider"]["texts"][0]["drafts"].size(), static_cast<std::size_t>(passes));
}

TEST_F(AnswersTest, AStreamWithoutUsageHasItsFiguresInTheFrameOfTheEnd) {
  json body = asking_;
  body.update({{"temperature", 0}, {"stream", true}});
  const Streamed all = streamed(serving_.chat("abc", body));
  EXPECT_TRUE(all.is_done);
  for (const json& event : all.events) {
    EXPECT_FALSE(event["choices"].empty());
    EXPECT_FALSE(event.contains("usage"));
  }
  EXPECT_EQ(all.events.back()["choices"][0]["finish_reason"], "length");
  EXPECT_TRUE(all.events.back().contains("timings"));
}

TEST_F(AnswersTest, SamplesAreThoseOfDecodeAndShareTheirPrompt) {
  json body = asking_;
  body.update({{"temperature", 1.2}, {"seed", 11}, {"n", 3}});
  const std::vector<Token> prompt = serving_.asked("tell me");
  const json answer = serving_.chat("tell me", body).json();
  ASSERT_EQ(answer["choices"].size(), 3u);
  for (int sample = 0; sample < 3; ++sample) {
    const auto index = static_cast<std::size_t>(sample);
    EXPECT_EQ(tokens_of(answer, index),
              serving_.plain(prompt, options(1.2, 11), sample + 1).result.tokens);
    EXPECT_EQ(answer["choices"][index]["index"], sample);
  }
  EXPECT_NE(tokens_of(answer, 0), tokens_of(answer, 1));
  EXPECT_EQ(answer["usage"]["prompt_tokens"], prompt.size()) << "it was read once";
  EXPECT_TRUE(answer["metrics"].is_null());
}

TEST_F(AnswersTest, TheTurnOfAConversationIsInTheNoise) {
  const json messages = {{{"role", "user"}, {"content", "one"}},
                         {{"role", "assistant"}, {"content", "yes"}},
                         {{"role", "user"}, {"content", "two"}}};
  json body = asking_;
  body.update({{"temperature", 1}, {"seed", 4}, {"messages", messages}});
  const json answer = serving_.post("/v1/chat/completions", body).json();
  text::Conversation conversation;
  conversation.messages = {{"user", "one"}, {"assistant", "yes"}, {"user", "two"}};
  const std::vector<Token> prompt = serving_.target().tokenizer().encode_opening(
      serving_.target().chat().open(conversation).text);
  EXPECT_EQ(tokens_of(answer), serving_.plain(prompt, options(1, 4), 1, 2).result.tokens);
}

TEST_F(AnswersTest, ASeedThatIsNotGivenIsDrawnAndSaid) {
  json body = asking_;
  body["temperature"] = 1.5;
  const json first = serving_.chat("abc", body).json(), second = serving_.chat("abc", body).json();
  EXPECT_NE(first["outrider"]["seed"], second["outrider"]["seed"]);
  body["seed"] = first["outrider"]["seed"];
  EXPECT_EQ(tokens_of(serving_.chat("abc", body).json()), tokens_of(first));
}

TEST_F(AnswersTest, TextsEndBeforeStopsAndAtTheirLength) {
  json body = asking_;
  body["temperature"] = 0;
  const json whole = serving_.chat("abcabcabc", body).json();
  const std::string text = whole["choices"][0]["message"]["content"];
  EXPECT_EQ(whole["choices"][0]["finish_reason"], "length");
  std::size_t letter = 1;
  while (letter < text.size() && (text[letter] <= ' ' || text[letter] > '~')) ++letter;
  ASSERT_LT(letter, text.size());
  body["stop"] = std::string(1, text[letter]);
  const json stopped = serving_.chat("abcabcabc", body).json();
  EXPECT_EQ(stopped["choices"][0]["message"]["content"], text.substr(0, text.find(text[letter])));
  EXPECT_EQ(stopped["choices"][0]["finish_reason"], "stop");
}

TEST_F(AnswersTest, CompletionsTakeTextsAndTokensAndManyOfThem) {
  const text::Tokenizer& tokenizer = serving_.target().tokenizer();
  const std::vector<Token> abc = tokenizer.encode("abcabc", true),
                           xyz = tokenizer.encode("xyz", true);
  const json body = {{"temperature", 0}, {"max_tokens", 8}};
  const auto texts = [&](const json& prompt) {
    json one = body;
    one["prompt"] = prompt;
    std::vector<std::string> all;
    const json answer = serving_.post("/v1/completions", one).json();
    for (const json& choice : answer["choices"]) all.push_back(choice["text"]);
    return all;
  };
  inference::GenerationOptions plain = options(0, 0);
  plain.max_new = 8;
  const std::string after_abc = serving_.plain(abc, plain).text,
                    after_xyz = serving_.plain(xyz, plain).text;
  EXPECT_EQ(texts("abcabc"), std::vector<std::string>{after_abc});
  EXPECT_EQ(texts(abc), std::vector<std::string>{after_abc});
  EXPECT_EQ(texts({"abcabc", "xyz"}), (std::vector<std::string>{after_abc, after_xyz}));
  EXPECT_EQ(texts({xyz, abc}), (std::vector<std::string>{after_xyz, after_abc}));
}

TEST_F(AnswersTest, NothingIsLoggedOfARequestNorAreFilesOfTheServerTold) {
  testing::internal::CaptureStderr();
  json body = asking_;
  body["speculation"] = "ssd";  // whose artifact the server's thread reads
  const json answer = serving_.chat("a secret", body).json();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const json& settings = answer["outrider"]["texts"][0]["settings"];
  EXPECT_TRUE(settings.contains("draft_length")) << settings;
  for (const char* file : {"artifacts", "draft", "reference"})
    EXPECT_FALSE(settings.contains(file)) << settings;
}

TEST_F(AnswersTest, FiguresHaveTheNamesThatOthersRead) {
  json body = asking_;
  body.update({{"temperature", 0}, {"speculation", "pld"}});
  const json answer = serving_.chat("abcabcabc", body).json();
  const json &timings = answer["timings"], &metrics = answer["metrics"]["speculative_decoding"];
  const json& ours = answer["outrider"]["texts"][0];
  EXPECT_EQ(timings["predicted_n"], answer["usage"]["completion_tokens"]);
  EXPECT_EQ(timings["prompt_n"], answer["usage"]["prompt_tokens"]);
  EXPECT_EQ(timings["draft_n"], metrics["num_draft_tokens"]);
  EXPECT_EQ(timings["draft_n_accepted"], metrics["num_accepted_draft_tokens"]);
  EXPECT_GT(timings["draft_n_accepted"], 0);
  std::int64_t steps = 0, accepted = 0;
  for (std::size_t i = 0; i < metrics["acceptance_histogram"].size(); ++i) {
    const std::int64_t passes = metrics["acceptance_histogram"][i];
    steps += passes;
    accepted += passes * static_cast<std::int64_t>(i);
  }
  EXPECT_EQ(metrics["num_spec_steps"], steps);
  EXPECT_EQ(metrics["num_accepted_draft_tokens"], accepted);
  EXPECT_EQ(ours["by_drafter"]["pld"]["accepted"], accepted);
  EXPECT_EQ(ours["settings"]["draft_length"], 4);
  for (const char* part : {"waited", "prompt", "draft", "verify", "sample", "other"})
    EXPECT_GE(ours["seconds"][part], 0) << part;
  EXPECT_EQ(answer["system_fingerprint"].get<std::string>().rfind("outrider-", 0), 0u);
}

}  // namespace
}  // namespace outrider::serve
