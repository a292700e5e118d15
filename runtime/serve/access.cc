#include "runtime/serve/access.h"

#include <algorithm>

#include "runtime/serve/api_error.h"

namespace outrider::serve {
namespace {

/// A Host header without its port.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? host : host.substr(0, end + 1);
  }
  return host.substr(0, host.find(':'));
}

bool is_allowed_origin(const AccessRules& rules, std::string_view origin) {
  return std::any_of(
      rules.cors_origins.begin(), rules.cors_origins.end(),
      [&](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

/// Whether a page comes from this server itself.
bool is_same_origin(const HttpRequest& request, std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == request.header("host");
}

std::string_view given_key(const HttpRequest& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view value = request.header("authorization");
  const bool is_bearer =
      value.size() > kBearer.size() &&
      std::equal(kBearer.begin(), kBearer.end(), value.begin(), [](char expected, char found) {
        return expected == (found >= 'A' && found <= 'Z' ? found - 'A' + 'a' : found);
      });
  return is_bearer ? value.substr(kBearer.size()) : request.header("x-api-key");
}

void check_key(const AccessRules& rules, const HttpRequest& request) {
  if (rules.keys.empty() || is_public(request.path) || request.method == "OPTIONS") return;
  const std::string_view given = given_key(request);
  // All keys are compared, so that the time does not tell which one was nearly right.
  bool is_known = false;
  for (const std::string& key : rules.keys) is_known |= equal_in_constant_time(given, key);
  if (!is_known)
    throw ApiError(401,
                   given.empty()
                       ? "expected an API key in \"Authorization: Bearer KEY\" or \"x-api-key\""
                       : "the API key is not one of this server's",
                   "", "invalid_api_key");
}

}  // namespace

bool equal_in_constant_time(std::string_view given, std::string_view key) {
  unsigned difference = given.size() == key.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = key.empty() ? '\0' : key[i % key.size()];
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^
                                        static_cast<unsigned char>(expected));
  }
  return difference == 0;
}

bool is_local_host(std::string_view host) {
  std::string name(name_of(host));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (name == "localhost" || name == "[::1]") return true;
  // 127.0.0.0/8, written as four numbers.
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string::npos;
}

bool is_public(std::string_view path) {
  return path == "/" || path == "/health" || path == "/v1/health";
}

void check_access(const AccessRules& rules, const HttpRequest& request) {
  if (rules.only_local_names && !is_local_host(request.header("host")))
    throw ApiError(
        403,
        "Host: expected localhost or 127.0.0.1, since this server listens on this machine only");
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && !is_same_origin(request, origin) && !is_allowed_origin(rules, origin))
    throw ApiError(
        403, "Origin: pages of other origins are not allowed; see --cors-origins of runtime serve");
  check_key(rules, request);
}

std::vector<std::pair<std::string, std::string>> cors_headers(const AccessRules& rules,
                                                              const HttpRequest& request) {
  const std::string_view origin = request.header("origin");
  if (origin.empty() || !is_allowed_origin(rules, origin)) return {};
  std::vector<std::pair<std::string, std::string>> headers = {
      {"Access-Control-Allow-Origin", std::string(origin)}, {"Vary", "Origin"}};
  if (request.method == "OPTIONS") {
    headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
    headers.emplace_back("Access-Control-Allow-Headers", "authorization, content-type, x-api-key");
    headers.emplace_back("Access-Control-Max-Age", "600");
  }
  return headers;
}

}  // namespace outrider::serve
