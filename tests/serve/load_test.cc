// Whatever is beside a request, it gets the tokens that it gets alone.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/serve/serving.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

/// What a client asks, and the tokens of `runtime decode`.
struct Asked {
  json body;
  std::vector<std::vector<Token>> expected;  // [samples]
};

class LoadTest : public testing::Test {
 protected:
  /// Requests with methods, temperatures, lengths, predictions and prompts at random, many of which begin alike.
  std::vector<Asked> random_requests(test::Serving& serving, int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
    const std::vector<std::string> methods = {
        "ar",     "pld",      "pld-plus-h", "pld-plus-a",        "ssd", "tsd", "gsd",
        "bigram", "ngrammys", "recycling",  "parallelspec-eagle"};
    const std::vector<std::string> beginnings = {"abcabcabcabcabcabcabcabcabc", "a list: one, two,",
                                                 "x"};
    const std::vector<double> temperatures = {0, 0, 0.7, 1.3};
    std::vector<Asked> all;
    for (int i = 0; i < count; ++i) {
      const std::string message = one_of(beginnings) + std::string(random() % 30, 'b');
      inference::GenerationOptions options = {.max_new = 1 + static_cast<int>(random() % 40)};
      options.sampler.temperature = one_of(temperatures);
      options.sampler.seed = random() % 1000;
      if (random() % 4 == 0) options.sampler.repetition_penalty = 1.2;
      const int samples = random() % 4 == 0 ? 2 : 1;
      Asked asked;
      asked.body = {{"messages", {{{"role", "user"}, {"content", message}}}},
                    {"max_tokens", options.max_new},
                    {"temperature", options.sampler.temperature},
                    {"repetition_penalty", options.sampler.repetition_penalty},
                    {"seed", options.sampler.seed},
                    {"n", samples},
                    {"speculation", one_of(methods)},
                    {"stream", random() % 2 == 0},
                    {"outrider", {{"tokens", true}}}};
      for (int sample = 1; sample <= samples; ++sample)
        asked.expected.push_back(
            serving.plain(serving.asked(message), options, sample).result.tokens);
      if (random() % 3 == 0)
        asked.body["prediction"] = {{"type", "content"}, {"content", "abcabc one, two"}};
      all.push_back(std::move(asked));
    }
    return all;
  }

  static std::vector<std::vector<Token>> tokens_of(const test::Received& received, int samples) {
    std::vector<std::vector<Token>> tokens(static_cast<std::size_t>(samples));
    const auto add = [&](const json& of_text, std::size_t index) {
      for (const json& token : of_text) tokens[index].push_back(token["id"]);
    };
    if (received.headers.at("content-type") == "application/json") {
      const json answer = received.json();
      for (const json& text : answer["outrider"]["texts"]) add(text["tokens"], text["index"]);
      return tokens;
    }
    const std::vector<std::string> events = received.events();
    EXPECT_EQ(events.back(), "[DONE]");
    for (const std::string& event : events) {
      if (event == "[DONE]") continue;
      const json one = json::parse(event);
      if (one.contains("outrider") && one["outrider"].contains("tokens"))
        add(one["outrider"]["tokens"], one["outrider"]["index"]);
    }
    return tokens;
  }

  /// Asks all of them from so many clients at once; some clients go away in the middle and ask again.
  static void ask_all(test::Serving& serving, const std::vector<Asked>& requests, int clients) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int client = 0; client < clients; ++client)
      threads.emplace_back([&, client] {
        std::mt19937_64 random(static_cast<std::uint64_t>(client));
        for (std::size_t i = next++; i < requests.size(); i = next++) {
          const std::string request =
              test::http_request("POST", "/v1/chat/completions", requests[i].body.dump());
          if (random() % 4 == 0) {
            test::SocketClient leaving(serving.port());
            leaving.send(request);
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 10));
          }
          const test::Received received = test::ask(serving.port(), request);
          ASSERT_EQ(received.status, 200) << received.body;
          EXPECT_EQ(tokens_of(received, requests[i].body["n"]), requests[i].expected)
              << requests[i].body;
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(LoadTest, EveryAnswerIsThatOfDecodeAlone) {
  for (const int clients : {1, 4, 16}) {
    test::Serving serving([](ServerOptions& options) {
      options.scheduler.parallel = 6;
      options.scheduler.kept_bytes = 4 << 20;
      options.scheduler.most_waiting = 100;
    });
    ask_all(serving, random_requests(serving, 4 + 2 * clients, static_cast<std::uint64_t>(clients)),
            clients);
  }
}

TEST_F(LoadTest, ASmallBudgetMakesThemWaitAndNothingElse) {
  test::Serving serving([](ServerOptions& options) {
    options.scheduler.parallel = 6;
    options.scheduler.cache_bytes = 400'000;  // less than two of these texts together
    options.scheduler.kept_bytes = 200'000;
    options.scheduler.most_waiting = 100;
  });
  ask_all(serving, random_requests(serving, 16, 77), 8);
}

TEST_F(LoadTest, TheBudgetIsForDraftersToo) {
  const auto bytes_after = [](const json& more) {
    test::Serving serving([](ServerOptions& options) { options.scheduler.kept_bytes = 8 << 20; });
    json body = more;
    body["max_tokens"] = 20;
    EXPECT_EQ(serving.chat(std::string(60, 'q'), body).status, 200);
    const std::string page = serving.get("/metrics").body, name = "\noutrider_kv_cache_bytes ";
    return std::stod(page.substr(page.find(name) + name.size()));
  };
  const double plain = bytes_after({{"speculation", false}});
  EXPECT_GT(plain, 0);
  // Rows that are rejected, as many as the method drafts, and keys and values of the draft model.
  EXPECT_GT(bytes_after({{"speculation", "ngrammys"}}), plain);
  const double copies = bytes_after({{"speculation", "pld"}});
  EXPECT_EQ(copies, plain);  // of four tokens, for which caches have the room
  EXPECT_GT(bytes_after({{"speculation", "ssd"}}), copies);
  EXPECT_GT(bytes_after({{"speculation", "pld-plus-h"}}), copies);
}

double bytes_of(const test::Serving& serving) {
  const std::string page = serving.get("/metrics").body, name = "\noutrider_kv_cache_bytes ";
  return std::stod(page.substr(page.find(name) + name.size()));
}

/// Two requests at a time, with so many bytes, none of which are kept for texts that have ended.
std::function<void(ServerOptions&)> with_limit(double bytes) {
  return [bytes](ServerOptions& options) {
    options.scheduler.parallel = 2;
    options.scheduler.cache_bytes = static_cast<std::int64_t>(bytes);
    options.scheduler.kept_bytes = 1;
  };
}

/// A client of so many long texts, which have begun.
std::unique_ptr<test::SocketClient> ask_for_long_texts(const test::Serving& serving, int samples) {
  auto slow = std::make_unique<test::SocketClient>(serving.port());
  slow->send(test::http_request("POST", "/v1/completions",
                                json{{"prompt", "abc"},
                                     {"n", samples},
                                     {"max_tokens", 300},
                                     {"speculation", false},
                                     {"logit_bias", {{"2", -1000}}},
                                     {"stream", true}}
                                    .dump()));
  EXPECT_TRUE(slow->receive_until("data: "));
  return slow;
}

/// Where other work keeps the machine busy the text may have ended before its bytes are looked at.
double bytes_of_long_text() {
  double bytes = 0;
  while (bytes == 0) {
    test::Serving serving(with_limit(100'000'000));
    const auto slow = ask_for_long_texts(serving, 1);
    bytes = bytes_of(serving);
  }
  return bytes;
}

constexpr double kTooFewForADraftModel = 100'000;  // it takes 111,268

TEST_F(LoadTest, AMethodWhoseWeightsDoNotFitBesideTextsWaitsForThem) {
  const double of_texts = 2 * bytes_of_long_text(), limit = of_texts + kTooFewForADraftModel;
  test::Serving serving(with_limit(limit));
  const auto slow = ask_for_long_texts(serving, 16);  // of which two at a time are running
  std::atomic<bool> is_answered{false};
  double most = 0;
  std::thread watch([&] {
    while (!is_answered) most = std::max(most, bytes_of(serving));
  });
  const test::Received found = serving.chat("abc", {{"max_tokens", 2}, {"speculation", "ssd"}});
  is_answered = true;
  watch.join();
  EXPECT_EQ(found.status, 200);
  EXPECT_GE(most, of_texts);
  EXPECT_LE(most, limit);
}

TEST_F(LoadTest, TheBudgetIsForWeightsOfDraftersToo) {
  const json one = {{"max_tokens", 2}}, by_draft = {{"max_tokens", 2}, {"speculation", "ssd"}};
  double weights = 0;
  {
    // No text is kept: what is left are weights.
    test::Serving serving([](ServerOptions& options) { options.scheduler.kept_bytes = 1; });
    EXPECT_EQ(serving.chat("abc", one).status, 200);
    EXPECT_EQ(serving.chat("abc", one).status, 200);
    const double before = bytes_of(serving);
    EXPECT_EQ(serving.chat("abc", by_draft).status, 200);
    EXPECT_EQ(serving.chat("abc", one).status, 200);
    weights = bytes_of(serving) - before;
    EXPECT_GT(weights, 1000);
  }
  test::Serving serving([&](ServerOptions& options) {
    options.scheduler.cache_bytes = static_cast<std::int64_t>(weights) - 1;
    options.scheduler.kept_bytes = 1;
  });
  const test::Received refused = serving.chat("abc", by_draft);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.json()["error"]["message"],
            fmt::format("ssd loads {:.0f} bytes, expected at most {:.0f} (--cache-bytes)", weights,
                        weights - 1));
  EXPECT_EQ(serving.chat("abc", one).status, 200);
}

TEST_F(LoadTest, ScoresOfAPromptThatWaitsForMemoryAreThereOnce) {
  test::Serving serving([](ServerOptions& options) { options.scheduler.cache_bytes = 1; });
  const auto ask = [&] {
    return serving
        .post("/v1/completions", {{"prompt", "abcabc"},
                                  {"max_tokens", 2},
                                  {"temperature", 0},
                                  {"echo", true},
                                  {"logprobs", 0}})
        .json()["choices"][0]["logprobs"]["token_logprobs"];
  };
  const json alone = ask();
  // One at a time has room, so that the prompt waits during many passes of the last of these.
  std::vector<std::unique_ptr<test::SocketClient>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<test::SocketClient>(serving.port()));
    slow.back()->send(test::http_request("POST", "/v1/completions",
                                         json{{"prompt", "abc"},
                                              {"max_tokens", 300},
                                              {"speculation", false},
                                              {"logit_bias", {{"2", -1000}}},
                                              {"stream", true}}
                                             .dump()));
    ASSERT_TRUE(i > 0 || slow[0]->receive_until("data: "));
  }
  EXPECT_EQ(ask().size(), alone.size());
}

TEST_F(LoadTest, AShortTextDoesNotWaitForALongOne) {
  test::Serving serving([](ServerOptions& options) { options.scheduler.parallel = 2; });
  test::SocketClient slow(serving.port());
  slow.send(test::http_request("POST", "/v1/chat/completions",
                               json{{"messages", {{{"role", "user"}, {"content", "abc"}}}},
                                    {"n", 16},
                                    {"logit_bias", {{"2", -1000}}},
                                    {"stream", true}}
                                   .dump()));
  ASSERT_TRUE(slow.receive_until("data: "));
  // The long one has both places, and the next that is free is for the short one.
  EXPECT_EQ(serving.chat("abc", {{"max_tokens", 2}}).status, 200);
  // Between two passes its texts may all wait for a place.
  EXPECT_EQ(serving.get("/metrics").body.find("\noutrider_requests_running 0\n"), std::string::npos)
      << "the long one goes on";
}

TEST_F(LoadTest, APromptThatBeginsLikeAnEarlierTextIsNotReadAgain) {
  test::Serving serving([](ServerOptions& options) { options.scheduler.kept_bytes = 8 << 20; });
  const std::string message(60, 'q');
  const auto ask = [&] {
    return serving
        .chat(message, {{"temperature", 0}, {"max_tokens", 8}, {"outrider", {{"tokens", true}}}})
        .json();
  };
  const json first = ask(), second = ask();
  EXPECT_EQ(first["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_EQ(second["usage"]["prompt_tokens_details"]["cached_tokens"],
            second["usage"]["prompt_tokens"].get<int>() - 1)
      << "all but the last row, which gives the first token";
  EXPECT_EQ(first["outrider"]["texts"][0]["tokens"], second["outrider"]["texts"][0]["tokens"]);
}

}  // namespace
}  // namespace outrider::serve
