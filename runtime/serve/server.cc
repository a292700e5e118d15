#include "runtime/serve/server.h"

#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/memory.h"
#include "runtime/certify/kept_certificate.h"
#include "runtime/model/identity.h"

namespace outrider::serve {
namespace {

AccessRules access_of(const ServerOptions& options) {
  AccessRules rules = options.api.access;
  rules.only_local_names = is_loopback(options.http);
  return rules;
}

HttpOptions checked(const ServerOptions& options) {
  HttpOptions http = options.http;
  if (!options.no_auth && options.api.access.keys.empty() && !is_loopback(http))
    throw InputError(
        "--host " + http.host +
        ": other machines could use this server without a key; give --api-key-file, or --no-auth");
  return http;
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)), api_(access_of(options_)) {
  http_ = std::make_unique<HttpServer>(
      checked(options_), [this](const HttpRequest& request) { return api_.check(request); },
      [this](const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
        api_.answer(request, reply);
      });
}

Server::~Server() {
  api_.close();
  if (scheduler_) scheduler_->stop();
}

void Server::open(session::Session& session) {
  const std::string model_hash = model::model_hash(session.target().model());
  const std::string fingerprint =
      certify::fingerprint(options_.api.cache_folder, session.target().engine(), model_hash);
  options_.api.rules.vocab = session.target().model().config.vocab;
  SchedulerOptions scheduler = options_.scheduler;
  // What is free now that the model is there.
  if (scheduler.cache_bytes == 0)
    scheduler.cache_bytes =
        session.target().engine().free_bytes_elsewhere().value_or(available_bytes()) / 2;
  if (scheduler.kept_bytes == 0) scheduler.kept_bytes = scheduler.cache_bytes / 2;
  scheduler_ = std::make_unique<Scheduler>(session, scheduler, metrics_);
  api_.open(options_.api, session, *scheduler_, metrics_, fingerprint, model_hash);
}

void Server::end() {
  api_.close();
  http_->stop_listening();
  if (scheduler_) {
    scheduler_->finish(options_.drain);
    scheduler_->stop();
  }
  constexpr std::chrono::milliseconds kForLastWrites{2000};
  http_->finish(kForLastWrites);
}

}  // namespace outrider::serve
