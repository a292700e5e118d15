#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "runtime/serve/api.h"
#include "runtime/serve/http_server.h"
#include "runtime/serve/scheduler.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/session/session.h"

namespace outrider::serve {

struct ServerOptions {
  HttpOptions http;
  ApiOptions api;
  SchedulerOptions scheduler;
  bool no_auth = false;                     // listens beyond this machine without a key
  std::chrono::milliseconds drain{30'000};  // for requests that run when the server ends
};

/// `runtime serve`: HTTP in one thread, texts in another.
class Server {
 public:
  /// Listens, and answers that the model is being loaded.
  /// @throws InputError where it cannot listen; for another machine's address without a key
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves a session, which must outlive it.
  void open(session::Session& session);
  /// Takes no more requests, waits for those that run, and ends the rest.
  void end();

  std::string url() const { return http_->url(); }
  int port() const { return http_->port(); }

 private:
  ServerOptions options_;
  ServerMetrics metrics_;
  Api api_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<HttpServer> http_;  // destroyed first: it calls the others
};

}  // namespace outrider::serve
