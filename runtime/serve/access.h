#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/serve/http_message.h"

namespace outrider::serve {

/// Who may use the server.
struct AccessRules {
  std::vector<std::string> keys = {};  // any of them; empty: no key is needed
  /// Pages of other origins that may: "https://example.org"; "*": all.
  std::vector<std::string> cors_origins = {};
  bool only_local_names = true;  // the Host header has to name this machine
};

/// Whether two texts are equal, in a time that depends on the length of the given one only.
bool equal_in_constant_time(std::string_view given, std::string_view key);

/// Whether a Host header names this machine itself: "localhost", "127.0.0.1:8080", "[::1]".
bool is_local_host(std::string_view host);

/// Whether a path is answered without a key: the page, which asks for it, and the health.
bool is_public(std::string_view path);

/// Refuses a request by its header: another machine's name in Host, as pages send that have their own name
/// point here (DNS rebinding); a page of an origin that is not allowed; a missing or wrong key.
/// @throws ApiError (400, 401, 403)
void check_access(const AccessRules& rules, const HttpRequest& request);

/// The headers by which a browser lets the page of the request read the answer; none unless its origin is allowed.
std::vector<std::pair<std::string, std::string>> cors_headers(const AccessRules& rules,
                                                              const HttpRequest& request);

}  // namespace outrider::serve
