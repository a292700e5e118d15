#include "tests/serve/load_client.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

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

TEST(LoadClient, TakesNothingButStreams) {
  const test::Serving serving;
  EXPECT_THROW(test::run_load(serving.port(), "/v1/completions", {body(3, false)}, 1),
               std::runtime_error);
  EXPECT_THROW(test::run_load(serving.port(), "/v1/completions", {"{}"}, 1), std::runtime_error);
  EXPECT_THROW(test::run_load(serving.port(), "/nowhere", {body(3)}, 2), std::runtime_error);
}

}  // namespace
}  // namespace outrider::serve
