#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "runtime/serve/http_options.h"

namespace outrider::serve {

/// Whether only this machine can reach a server with these options.
/// @throws InputError for a host that is no address or name
bool is_loopback(const HttpOptions& options);

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
