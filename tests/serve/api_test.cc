// What each path answers, and the errors.

#include "runtime/serve/api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/certify/kept_certificate.h"
#include "runtime/model/identity.h"
#include "tests/serve/serving.h"
#include "tests/support/expect_input_error.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

class ApiTest : public testing::Test {
 protected:
  test::Serving serving_;
};

TEST_F(ApiTest, HealthAndModels) {
  EXPECT_EQ(serving_.get("/health").json(), (json{{"status", "ok"}}));
  EXPECT_EQ(serving_.get("/v1/health").status, 200);
  const json models = serving_.get("/v1/models").json();
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][0]["id"], "tiny");
  EXPECT_EQ(models["data"][0]["meta"]["n_vocab"], serving_.target().tokenizer().vocab());
  EXPECT_EQ(serving_.get("/v1/models/tiny").json(), models["data"][0]);
  EXPECT_EQ(serving_.get("/v1/models/other").status, 404);
}

TEST_F(ApiTest, TokensThereAndBack) {
  const text::Tokenizer& tokenizer = serving_.target().tokenizer();
  const std::vector<Token> tokens = tokenizer.encode("hello you", true);
  const json there = serving_.post("/tokenize", {{"content", "hello you"}}).json();
  EXPECT_EQ(there["tokens"], json(tokens));
  EXPECT_EQ(there["count"], tokens.size());
  EXPECT_EQ(serving_.post("/tokenize", {{"prompt", "hello you"}}).json()["tokens"], json(tokens));
  const json pieces =
      serving_.post("/tokenize", {{"content", "hello"}, {"with_pieces", true}}).json();
  EXPECT_EQ(pieces["tokens"][0]["piece"], tokenizer.decode(std::vector<Token>{tokens[0]}, true));
  const json back = serving_.post("/detokenize", {{"tokens", tokens}}).json();
  EXPECT_EQ(back["content"], "hello you");
  EXPECT_EQ(back["prompt"], "hello you");
  const json messages = {{{"role", "user"}, {"content", "hello"}}};
  EXPECT_EQ(serving_.post("/tokenize", {{"messages", messages}}).json()["tokens"],
            json(serving_.asked("hello")));
  EXPECT_EQ(serving_.post("/apply-template", {{"messages", messages}}).json()["prompt"],
            tokenizer.decode(serving_.asked("hello"), true));
  EXPECT_EQ(serving_.post("/detokenize", {{"tokens", {1 << 20}}}).status, 400);
  EXPECT_EQ(serving_.post("/tokenize", json::object()).status, 400);
}

TEST_F(ApiTest, SpecialTokensOfAMessageStayText) {
  const json messages = {{{"role", "user"}, {"content", "<|im_end|>"}}};
  const json tokens = serving_.post("/tokenize", {{"messages", messages}}).json()["tokens"];
  EXPECT_EQ(tokens, json(serving_.asked("<|im_end|>")));
  const std::vector<Token> plain = serving_.asked("hello");
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), json(2)),
            std::count(plain.begin(), plain.end(), 2));
}

TEST_F(ApiTest, PropsSlotsAndTheTokenizer) {
  const json props = serving_.get("/props").json();
  EXPECT_EQ(props["default_generation_settings"]["params"]["temperature"], 1);
  EXPECT_EQ(props["default_generation_settings"]["n_ctx"], serving_.target().context());
  EXPECT_EQ(props["model_path"], "tiny.gguf") << "the file's name only";
  const json info = serving_.get("/tokenizer_info").json();
  EXPECT_EQ(info["eos_token"], "<|im_end|>");
  EXPECT_EQ(info["vocab_size"], serving_.target().tokenizer().vocab());
  const json slots = serving_.get("/slots").json();
  EXPECT_EQ(slots[0]["is_processing"], false);
  EXPECT_EQ(serving_.get("/v1/speculation/methods").json()["default"], "pld");
}

TEST_F(ApiTest, TheCertificateIsTheLastOneThatWasMade) {
  const test::Received none = serving_.get("/v1/certificate");
  EXPECT_EQ(none.status, 404);
  EXPECT_NE(none.body.find("runtime certify -m MODEL"), std::string::npos);
  const inference::Target& target = serving_.target();
  certify::keep_certificate(
      serving_.cache_folder(),
      certify::certificate_key(model::model_hash(target.model()), target.engine()),
      "{\"cases\": 3}");
  const test::Received kept = serving_.get("/v1/certificate");
  EXPECT_EQ(kept.status, 200);
  EXPECT_EQ(kept.json()["cases"], 3);
}

TEST_F(ApiTest, MetricsCountTextsAndDrafts) {
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(serving_.chat("abcabcabc", {{"temperature", 0}, {"max_tokens", 24}}).status, 200);
  serving_.chat("abc", {{"temperature", "hot"}});
  const test::Received received = serving_.get("/metrics");
  EXPECT_EQ(received.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const std::string& text = received.body;
  const auto value = [&](const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name << " in\n" << text;
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  };
  EXPECT_EQ(value("outrider_generation_tokens_total"), 48);
  EXPECT_EQ(value("outrider_prompt_tokens_total"),
            2 * static_cast<double>(serving_.asked("abcabcabc").size()));
  EXPECT_EQ(value("outrider_request_success_total{finished_reason=\"length\"}"), 2);
  EXPECT_EQ(value("outrider_request_failure_total{status=\"400\"}"), 1);
  EXPECT_EQ(value("outrider_requests_running"), 0);
  EXPECT_EQ(value("outrider_time_to_first_token_seconds_count"), 2);
  const double drafts = value("outrider_spec_decode_num_drafts_total{method=\"pld\"}");
  const double accepted = value("outrider_spec_decode_num_accepted_tokens_total{method=\"pld\"}");
  EXPECT_GT(accepted, 0);
  EXPECT_LE(
      value(
          "outrider_spec_decode_num_accepted_tokens_per_pos_total{method=\"pld\",position=\"0\"}"),
      drafts);
  EXPECT_EQ(value("outrider_pass_rows_bucket{le=\"+Inf\"}"), value("outrider_passes_total"));
  EXPECT_EQ(value("outrider_passes_total") + accepted, 46) << "each pass gives a token besides";
}

TEST_F(ApiTest, ThePageLoadsNothingAndRunsOnlyItsOwnScript) {
  const test::Received page = serving_.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_LT(page.body.size(), 60u << 10);
  EXPECT_EQ(page.body.find("@NONCE@"), std::string::npos);
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("})
    EXPECT_EQ(page.body.find(outside), std::string::npos) << outside;
  const std::string& policy = page.headers.at("content-security-policy");
  EXPECT_EQ(policy.rfind("default-src 'none'; script-src 'nonce-", 0), 0u);
  const std::string nonce = policy.substr(policy.find("nonce-") + 6, 32);
  EXPECT_NE(page.body.find("<script nonce=\"" + nonce + "\">"), std::string::npos);
  EXPECT_NE(serving_.get("/").headers.at("content-security-policy"), policy)
      << "a new one each time";
}

TEST_F(ApiTest, ErrorsAreOpenAisObjects) {
  const auto error_of = [](const test::Received& received) {
    json error = received.json().at("error");
    EXPECT_TRUE(error.contains("message") && error.contains("type") && error.contains("param") &&
                error.contains("code"))
        << error;
    return error;
  };
  const test::Received wrong = serving_.chat("abc", {{"temperature", "hot"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(error_of(wrong)["type"], "invalid_request_error");
  EXPECT_EQ(error_of(wrong)["param"], "temperature");
  const test::Received other = serving_.chat("abc", {{"model", "gpt"}});
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(error_of(other)["code"], "model_not_found");
  for (const char* name : {"", "default", "tiny"})
    EXPECT_EQ(serving_.chat("abc", {{"model", name}, {"max_tokens", 1}}).status, 200) << name;
  EXPECT_EQ(serving_.get("/v1/chat/completions").status, 405);
  EXPECT_EQ(error_of(serving_.get("/v2"))["code"], "unknown_url");
  EXPECT_EQ(serving_.post("/v1/chat/completions", json::array()).status, 400);
  const std::string form =
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/x-www-form-urlencoded\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(test::ask(serving_.port(), form).status, 415);
}

TEST_F(ApiTest, APromptThatDoesNotFitIsRefused) {
  const std::string longer(static_cast<std::size_t>(serving_.target().context()) + 10, 'x');
  const test::Received received = serving_.chat(longer);
  EXPECT_EQ(received.status, 400);
  EXPECT_EQ(received.json()["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(serving_.post("/v1/completions", {{"prompt", std::string(3 << 20, 'x')}}).status, 400);
  EXPECT_EQ(serving_.post("/v1/completions", {{"prompt", ""}}).status, 400);
}

TEST_F(ApiTest, AMethodThatCannotBePreparedIsTheRequestsMistake) {
  const test::Received received =
      serving_.chat("abc", {{"speculation", {{"method", "pld-plus-a"}, {"heads", "99:99"}}}});
  EXPECT_EQ(received.status, 400);
  EXPECT_NE(received.body.find("heads"), std::string::npos) << received.body;
  EXPECT_EQ(serving_.chat("abc", {{"max_tokens", 1}}).status, 200) << "and nobody else's";
}

TEST(ApiBeforeTheModel, SaysThatItIsLoading) {
  ServerOptions options;
  options.http.port = 0;
  Server server(options);
  const test::Received health = test::get(server.port(), "/health");
  EXPECT_EQ(health.status, 503);
  EXPECT_EQ(health.json()["error"],
            (json{{"code", 503}, {"message", "Loading model"}, {"type", "unavailable_error"}}));
  EXPECT_EQ(test::get(server.port(), "/v1/models").status, 503);
  EXPECT_EQ(test::post(server.port(), "/v1/completions", {{"prompt", "a"}}).status, 503);
}

TEST(ApiWithKeys, AnswersNothingWithoutOne) {
  test::Serving serving([](ServerOptions& options) { options.api.access.keys = {"the-key"}; });
  EXPECT_EQ(serving.get("/health").status, 200);
  for (const char* path : {"/v1/models", "/metrics", "/slots", "/props", "/v1/certificate"}) {
    const test::Received received = serving.get(path);
    EXPECT_EQ(received.status, 401) << path;
    EXPECT_EQ(received.headers.at("www-authenticate"), "Bearer");
    EXPECT_EQ(received.json()["error"]["code"], "invalid_api_key");
  }
  EXPECT_EQ(serving.chat("abc").status, 401);
  EXPECT_EQ(test::get(serving.port(), "/v1/models", "Authorization: Bearer the-key\r\n").status,
            200);
}

TEST(ApiForOthers, NeedsAKeyOrInsistence) {
  ServerOptions options;
  options.http.host = "0.0.0.0";
  options.http.port = 0;
  test::expect_input_error([&] { Server server(options); }, "--host 0.0.0.0", "--api-key-file",
                           "--no-auth");
  options.no_auth = true;
  Server insists(options);
  EXPECT_EQ(test::get(insists.port(), "/health").status, 503);
  options.no_auth = false;
  options.api.access.keys = {"k"};
  Server with_key(options);
  EXPECT_EQ(test::get(with_key.port(), "/v1/models").status, 401);
}

TEST(ApiPort, ThatIsTakenIsNamed) {
  ServerOptions options;
  options.http.port = 0;
  Server first(options);
  options.http.port = first.port();
  test::expect_input_error([&] { Server second(options); }, "--port", std::to_string(first.port()));
  options.http.host = "no such host";
  test::expect_input_error([&] { Server second(options); }, "--host", "no such host");
}

}  // namespace
}  // namespace outrider::serve
