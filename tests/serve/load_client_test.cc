#include "tests/serve/load_client.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "tests/serve/serving.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

std::string body(int max_new, bool streams = true) {
  return json{{"prompt", "abcabc"}, {"max_tokens", max_new},
              {"temperature", 0},   {"logit_bias", {{"2", -1000}}},
              {"stream", streams},  {"stream_options", {{"include_usage", true}}}}
      .dump();
}

TEST(LoadClient, SaysWhenTheTextsOfEveryRequestCame) {
  const test::Serving serving;
  const std::vector<std::string> bodies = {body(30), body(5), body(12), body(30), body(9)};
  for (const int clients : {1, 3}) {
    const test::LoadResult found =
        test::run_load(serving.port(), "/v1/completions", bodies, clients);
    ASSERT_EQ(found.streams.size(), bodies.size());
    double sum = 0, longest = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const test::ReceivedStream& stream = found.streams[i];
      EXPECT_EQ(stream.request, i);
      EXPECT_EQ(stream.tokens, json::parse(bodies[i])["max_tokens"].get<int>());
      EXPECT_GT(stream.frames, 0);
      EXPECT_LE(stream.frames, stream.tokens);
      EXPECT_GT(stream.first, 0);
      EXPECT_LE(stream.first, stream.last);
      EXPECT_LE(stream.last, stream.end);
      sum += stream.end;
      longest = std::max(longest, stream.end);
    }
    EXPECT_GE(found.seconds, longest);
    if (clients == 1) {
      EXPECT_GE(found.seconds, sum);
    }
  }
}

/// Answers a stream of two tokens to one request of a connection, and closes it.
class ClosesEveryTime {
 public:
  /// @param more_headers  of its answers
  ClosesEveryTime(const std::string& more_headers, int requests)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    ::listen(socket_, 8);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    const std::string events =
        "data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\n"
        "data: {\"usage\":{\"completion_tokens\":2},\"plain_ms\":1.5,\"faster\":1.25}\n\ndata: "
        "[DONE]\n\n";
    const std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + more_headers +
                               "\r\n" +
                               fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", events.size(), events);
    thread_ = std::thread([this, answer, requests] {
      for (int i = 0; i < requests; ++i) {
        const int client = ::accept(socket_, nullptr, nullptr);
        std::string request;
        char byte = 0;
        while (!request.ends_with("{}") && ::recv(client, &byte, 1, 0) == 1) request += byte;
        ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
        ::close(client);
      }
    });
  }
  ~ClosesEveryTime() {
    thread_.join();
    ::close(socket_);
  }
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
  std::thread thread_;
};

TEST(LoadClient, ConnectsAgainWhereAConnectionWasNotKept) {
  for (const char* more : {"Connection: close\r\n", ""}) {  // said before, or not
    const ClosesEveryTime server(more, 5);
    const std::vector<std::string> bodies(5, "{}");
    const test::LoadResult found = test::run_load(server.port(), "/", bodies, 1);
    ASSERT_EQ(found.streams.size(), 5u) << more;
    EXPECT_EQ(found.streams[4].tokens, 2);
    EXPECT_EQ(found.streams[4].frames, 1);
    EXPECT_EQ(found.streams[4].plain, 0.0015);
    EXPECT_EQ(found.streams[4].faster, 1.25);
  }
}

TEST(LoadClient, TakesNothingButStreams) {
  const test::Serving serving;
  EXPECT_THROW(test::run_load(serving.port(), "/v1/completions", {body(3, false)}, 1),
               std::runtime_error);
  EXPECT_THROW(test::run_load(serving.port(), "/v1/completions", {"{}"}, 1), std::runtime_error);
  EXPECT_THROW(test::run_load(serving.port(), "/nowhere", {body(3)}, 2), std::runtime_error);
}

}  // namespace
}  // namespace outrider::serve
