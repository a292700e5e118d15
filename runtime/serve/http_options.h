#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/serve/http_message.h"

namespace outrider::serve {

struct HttpOptions {
  std::string host = "127.0.0.1";  // a name or an address of this machine
  int port = 8080;                 // 0: any that is free
  std::size_t most_body_bytes = std::size_t{16} << 20;
  std::size_t most_header_bytes = std::size_t{16} << 10;
  std::size_t most_unread_bytes = std::size_t{1} << 20;  // that a client leaves unread
  int most_connections = 1024;                           // at once
  std::chrono::milliseconds header_time{30'000};  // for a request's header, from its first byte on
  std::chrono::milliseconds idle_time{75'000};    // between requests
  std::chrono::milliseconds body_time{60'000};    // for its body
  std::chrono::milliseconds stall_time{30'000};   // without progress of what is written to a client
  std::chrono::milliseconds ping_time{15'000};    // between comments of a stream without events
};

/// Called by the server's thread with each request whose header has been read, and no body yet: a response
/// refuses it, and ends the connection.
using CheckHeader = std::function<std::optional<HttpResponse>(const HttpRequest& request)>;
/// Called by the server's thread for each request that is not refused.
using OnRequest = std::function<void(HttpRequest request, std::shared_ptr<Reply> reply)>;

}  // namespace outrider::serve
