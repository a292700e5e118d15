// Clients that are slow, broken or gone, and what they cost: their own connection.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/serve/serving.h"

namespace outrider::serve {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// A body whose texts take some seconds: the tiny model's context is filled, again and again.
json long_chat(bool streams) {
  return {{"messages", {{{"role", "user"}, {"content", "abc"}}}},
          {"stream", streams},
          {"temperature", 1},
          {"seed", 1},
          {"n", 16},
          {"logit_bias", {{"2", -1000}}}};
}

class HostileClientsTest : public testing::Test {
 protected:
  static void shorten(ServerOptions& options) {
    options.http.header_time = milliseconds(300);
    options.http.body_time = milliseconds(300);
    options.http.idle_time = milliseconds(600);
    options.http.stall_time = milliseconds(500);
    options.http.most_body_bytes = 100'000;
    options.http.most_header_bytes = 4096;
    options.http.most_connections = 8;
    options.scheduler.parallel = 1;
    options.scheduler.most_waiting = 2;
  }
  std::string chat_request(bool streams = true) const {
    return test::http_request("POST", "/v1/chat/completions", long_chat(streams).dump());
  }
  /// Waits until the scheduler does as many requests.
  bool becomes(bool is_processing, int waiting = 0) const {
    for (int i = 0; i < 6000; ++i) {
      const json slot = serving_.get("/slots").json()[0];
      if (slot["is_processing"] == is_processing && slot["requests_waiting"] == waiting)
        return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  void expect_still_serves() const { EXPECT_EQ(serving_.get("/health").status, 200); }

  test::Serving serving_{shorten};
};

TEST_F(HostileClientsTest, WhatIsNoRequestIsRefusedAndTheConnectionEnds) {
  for (const std::string& text :
       {std::string("hello\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"),
        std::string(
            "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            "zz\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello", 23),
        std::string("GET /a\0b HTTP/1.1\r\n\r\n", 21)}) {
    test::SocketClient client(serving_.port());
    client.send(text);
    EXPECT_EQ(client.receive().status, 400) << text;
    client.close();
  }
  expect_still_serves();
}

TEST_F(HostileClientsTest, HeadersAndBodiesHaveLimits) {
  const std::string many(5000, 'a');
  EXPECT_EQ(test::get(serving_.port(), "/health", "X-Long: " + many + "\r\n").status, 431);
  EXPECT_EQ(
      test::post(serving_.port(), "/tokenize", {{"content", std::string(200'000, 'a')}}).status,
      413);
  // Chunks, whose sum nobody has told.
  std::string chunks =
      "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 200; ++i) chunks += "3e8\r\n" + std::string(1000, ' ') + "\r\n";
  EXPECT_EQ(test::ask(serving_.port(), chunks).status, 413);
  expect_still_serves();
}

TEST_F(HostileClientsTest, ABodyInChunksAndAfterContinueIsRead) {
  test::SocketClient client(serving_.port());
  client.send(
      "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(client.receive_until("100 Continue\r\n\r\n"));
  client.send("8\r\n{\"conten\r\n");
  client.send("9\r\nt\": \"ab\"}\r\n0\r\n\r\n");
  const test::Received received = client.receive();
  EXPECT_EQ(received.status, 200) << received.body;
}

TEST_F(HostileClientsTest, WhoIsRefusedByTheHeaderIsAnsweredBeforeTheBody) {
  test::SocketClient client(serving_.port());
  client.send(
      "POST /tokenize HTTP/1.1\r\nHost: evil.example.org\r\nContent-Type: application/json\r\n"
      "Content-Length: 90000\r\n\r\n{");
  const test::Received received = client.receive();
  EXPECT_EQ(received.status, 403);
  EXPECT_EQ(received.headers.at("connection"), "close");
}

TEST_F(HostileClientsTest, SlowRequestsTimeOut) {
  test::SocketClient by_header(serving_.port()), by_body(serving_.port()), idle(serving_.port());
  by_body.send(
      "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 100\r\n\r\n{");
  // A byte now and then does not prolong it.
  for (const char c : std::string("GET /hea")) {
    by_header.send(std::string(1, c));
    std::this_thread::sleep_for(milliseconds(60));
  }
  EXPECT_EQ(by_header.receive().status, 408);
  EXPECT_EQ(by_body.receive().status, 408);
  EXPECT_TRUE(idle.is_ended_within(milliseconds(3000)));
  expect_still_serves();
}

TEST_F(HostileClientsTest, ConnectionsAreKeptForFurtherRequestsAlsoSentAtOnce) {
  test::SocketClient client(serving_.port());
  const std::string get = test::http_request("GET", "/health");
  client.send(get + test::http_request("POST", "/tokenize", "{\"content\": \"a\"}") + get);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.receive().status, 200) << i;
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().headers.at("connection"), "close");
  EXPECT_TRUE(client.is_ended_within(milliseconds(3000)));
}

TEST_F(HostileClientsTest, AnOlderClientGetsAStreamWithoutChunks) {
  test::SocketClient client(serving_.port());
  const std::string body = json{{"prompt", "abc"}, {"max_tokens", 3}, {"stream", true}}.dump();
  client.send(
      "POST /v1/completions HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  const test::Received received = client.receive();
  EXPECT_EQ(received.headers.count("transfer-encoding"), 0u);
  EXPECT_EQ(received.events().back(), "[DONE]");
}

TEST_F(HostileClientsTest, AClientThatGoesAwayEndsItsRequest) {
  for (const bool streams : {true, false}) {
    test::SocketClient client(serving_.port());
    client.send(chat_request(streams));
    if (streams) {
      EXPECT_TRUE(client.receive_until("data: "));
    } else {
      EXPECT_TRUE(becomes(true));
    }
    client.close();
    EXPECT_TRUE(becomes(false)) << streams;
  }
  EXPECT_EQ(serving_.chat("abc", {{"max_tokens", 2}}).status, 200);
}

TEST_F(HostileClientsTest, OneThatGoesAwayWhileItWaitsIsNotDecoded) {
  test::SocketClient running(serving_.port());
  running.send(chat_request());
  EXPECT_TRUE(becomes(true));
  {
    test::SocketClient waiting(serving_.port());
    waiting.send(chat_request());
    EXPECT_TRUE(becomes(true, 1));
  }
  running.close();
  EXPECT_TRUE(becomes(false));
  const std::string metrics = serving_.get("/metrics").body;
  EXPECT_NE(metrics.find("finished_reason=\"interrupted\"} 1\n"), std::string::npos) << metrics;
}

TEST_F(HostileClientsTest, TooManyThatWaitAreToldToComeBack) {
  std::vector<std::unique_ptr<test::SocketClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<test::SocketClient>(serving_.port()));
    clients.back()->send(chat_request());
    EXPECT_TRUE(becomes(true, i));
  }
  const test::Received refused = serving_.chat("abc");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "2");
  EXPECT_EQ(refused.json()["error"]["code"], "queue_full");
  clients.clear();
  EXPECT_TRUE(becomes(false));
}

TEST_F(HostileClientsTest, AClientThatDoesNotReadEndsItsRequest) {
  test::SocketClient client(serving_.port(), test::SocketClient::kSmallBuffer);
  json body = long_chat(true);
  body.update({{"logprobs", true}, {"top_logprobs", 20}});  // some megabytes
  client.send(test::http_request("POST", "/v1/chat/completions", body.dump()));
  EXPECT_TRUE(becomes(true));
  EXPECT_TRUE(becomes(false));
  expect_still_serves();
}

TEST_F(HostileClientsTest, MoreConnectionsThanThereMayBeTakeThePlaceOfIdleOnes) {
  std::vector<std::unique_ptr<test::SocketClient>> idle;
  for (int i = 0; i < 20; ++i)
    idle.push_back(std::make_unique<test::SocketClient>(serving_.port()));
  EXPECT_EQ(serving_.get("/health").status, 200);
  EXPECT_TRUE(idle.front()->is_ended_within(milliseconds(200)));
}

TEST_F(HostileClientsTest, AStreamWithoutEventsIsKeptAliveByComments) {
  test::Serving serving([](ServerOptions& options) { options.http.ping_time = milliseconds(1); });
  test::SocketClient client(serving.port());
  client.send(chat_request());
  EXPECT_TRUE(client.receive_until(": ping\n\n"));
}

TEST_F(HostileClientsTest, TheEndWaitsForRunningRequestsAndRefusesFurtherOnes) {
  test::Serving serving;
  test::SocketClient running(serving.port()), later(serving.port());
  running.send(test::http_request(
      "POST", "/v1/completions",
      json{{"prompt", "abc"}, {"max_tokens", 40}, {"stream", true}, {"logit_bias", {{"2", -1000}}}}
          .dump()));
  EXPECT_TRUE(running.receive_until("data: "));
  serving.server().end();
  EXPECT_EQ(running.receive().events().back(), "[DONE]");
  // The port is closed by the server's own thread, maybe after a text that ended before.
  const auto is_refused = [&] {
    try {
      test::SocketClient(serving.port());
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool refused = false;
  while (!refused && std::chrono::steady_clock::now() < until) refused = is_refused();
  EXPECT_TRUE(refused);
}

TEST_F(HostileClientsTest, TheEndDoesNotWaitLongerThanItShould) {
  test::Serving serving([](ServerOptions& options) { options.drain = milliseconds(0); });
  test::SocketClient running(serving.port());
  running.send(chat_request());
  EXPECT_TRUE(running.receive_until("data: "));
  serving.server().end();
  const std::vector<std::string> events = running.receive().events();
  EXPECT_NE(events.back(), "[DONE]");
  EXPECT_NE(events.back().find("the server was stopped"), std::string::npos) << events.back();
}

TEST_F(HostileClientsTest, ManyAtOnceGetTheirOwnAnswers) {
  test::Serving serving;
  std::vector<std::thread> clients;
  std::vector<std::string> found(8), expected(8);
  for (int i = 0; i < 8; ++i)
    expected[static_cast<std::size_t>(i)] =
        serving
            .plain(serving.asked(std::string(static_cast<std::size_t>(i + 1), 'q')),
                   {.max_new = 10})
            .text;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&, i] {
      const test::Received received =
          serving.chat(std::string(static_cast<std::size_t>(i + 1), 'q'),
                       {{"temperature", 0}, {"max_tokens", 10}});
      found[static_cast<std::size_t>(i)] =
          received.json()["choices"][0]["message"]["content"].get<std::string>();
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace outrider::serve
