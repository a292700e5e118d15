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

/// Whether only this machine can reach a server with these options.
/// @throws InputError for a host that is no address or name
bool is_loopback(const HttpOptions& options);

/// Called by the server's thread with each request whose header has been read, and no body yet: a response
/// refuses it, and ends the connection.
using CheckHeader = std::function<std::optional<HttpResponse>(const HttpRequest& request)>;
/// Called by the server's thread for each request that is not refused.
using OnRequest = std::function<void(HttpRequest request, std::shared_ptr<Reply> reply)>;

/// A server of HTTP/1.1 in one thread of its own, which waits for all connections at once. A client that
/// goes away is noticed at once, also while its request is worked on; one that is slow or sends what is no
/// request costs its own connection only.
class HttpServer {
 public:
  /// Listens, and begins to serve.
  /// @throws InputError naming --host and --port if they cannot be listened on
  HttpServer(const HttpOptions& options, CheckHeader check_header, OnRequest on_request);
  /// Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// "http://127.0.0.1:8080"
  std::string url() const;
  /// Refuses further connections, and ends those without a request.
  void stop_listening();
  /// Waits until all answers are written. @return false if that took longer than this
  bool finish(std::chrono::milliseconds patience);

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace outrider::serve
