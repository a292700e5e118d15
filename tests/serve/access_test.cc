#include "runtime/serve/access.h"

#include <gtest/gtest.h>

#include "runtime/serve/api_error.h"

namespace outrider::serve {
namespace {

HttpRequest headed(std::vector<std::pair<std::string, std::string>> headers,
                   const std::string& path = "/v1/models") {
  headers.emplace_back("host", "localhost:8080");
  return {.method = "GET", .path = path, .query = "", .headers = std::move(headers), .body = ""};
}

/// The status that a request is refused with; 0: it is not.
int access_refusal(const AccessRules& rules, const HttpRequest& request) {
  try {
    check_access(rules, request);
    return 0;
  } catch (const ApiError& error) {
    return error.status;
  }
}

TEST(Access, WithoutKeysEverybodyHereMay) { EXPECT_EQ(access_refusal({}, headed({})), 0); }

TEST(Access, AKeyComesInEitherHeader) {
  const AccessRules rules = {.keys = {"first", "second-key"}};
  EXPECT_EQ(access_refusal(rules, headed({})), 401);
  EXPECT_EQ(access_refusal(rules, headed({{"authorization", "Bearer first"}})), 0);
  EXPECT_EQ(access_refusal(rules, headed({{"authorization", "bearer second-key"}})), 0);
  EXPECT_EQ(access_refusal(rules, headed({{"x-api-key", "second-key"}})), 0);
  for (const char* wrong : {"Bearer ", "Bearer firs", "Bearer first2", "Bearer firstfirst", "first",
                            "Basic first", "Bearer FIRST"})
    EXPECT_EQ(access_refusal(rules, headed({{"authorization", wrong}})), 401) << wrong;
}

TEST(Access, HealthAndThePageNeedNone) {
  const AccessRules rules = {.keys = {"k"}};
  for (const char* path : {"/", "/health", "/v1/health"})
    EXPECT_EQ(access_refusal(rules, headed({}, path)), 0) << path;
  for (const char* path : {"/metrics", "/slots", "/props", "/v1/models", "/healthy", "//health"})
    EXPECT_EQ(access_refusal(rules, headed({}, path)), 401) << path;
}

TEST(Access, ComparesWholeKeys) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abcabc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("a", ""));
}

TEST(Access, OnlyNamesOfThisMachineAreLocal) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3",
                           "[::1]", "[::1]:8080"})
    EXPECT_TRUE(is_local_host(host)) << host;
  for (const char* host : {"", "example.org", "localhost.example.org", "127.0.0.1.example.org",
                           "128.0.0.1", "[::2]", "[::1", "evil@localhost"})
    EXPECT_FALSE(is_local_host(host)) << host;
}

TEST(Access, APageWithANameOfItsOwnIsRefused) {
  HttpRequest rebound = headed({});
  rebound.headers = {{"host", "evil.example.org:8080"}};
  EXPECT_EQ(access_refusal({}, rebound), 403);
  EXPECT_EQ(access_refusal({.only_local_names = false}, rebound), 0);
  HttpRequest nameless = headed({});
  nameless.headers.clear();
  EXPECT_EQ(access_refusal({}, nameless), 403);
}

TEST(Access, PagesOfOtherOriginsMayOnlyWhereTheyAreNamed) {
  const HttpRequest foreign = headed({{"origin", "https://example.org"}});
  EXPECT_EQ(access_refusal({}, foreign), 403);
  EXPECT_TRUE(cors_headers({}, foreign).empty());
  EXPECT_EQ(access_refusal({}, headed({{"origin", "http://localhost:8080"}})), 0) << "its own page";
  const AccessRules rules = {.cors_origins = {"https://example.org"}};
  EXPECT_EQ(access_refusal(rules, foreign), 0);
  EXPECT_EQ(cors_headers(rules, foreign)[0], std::pair(std::string("Access-Control-Allow-Origin"),
                                                       std::string("https://example.org")));
  EXPECT_EQ(access_refusal(rules, headed({{"origin", "https://example.com"}})), 403);
  EXPECT_TRUE(cors_headers(rules, headed({{"origin", "https://example.com"}})).empty());
}

TEST(Access, ABrowserMayAskBeforehandWithoutAKey) {
  const AccessRules rules = {.keys = {"k"}, .cors_origins = {"*"}};
  HttpRequest before = headed({{"origin", "https://example.org"}});
  before.method = "OPTIONS";
  EXPECT_EQ(access_refusal(rules, before), 0);
  EXPECT_GE(cors_headers(rules, before).size(), 4u);
}

}  // namespace
}  // namespace outrider::serve
