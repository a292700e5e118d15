#include "runtime/serve/http_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/serve/http_connection.h"

namespace outrider::serve {
namespace {

/// Before connections are accepted again when the system has no more descriptors.
constexpr milliseconds kBeforeNextAccept{100};

tcp::endpoint endpoint_of(asio::io_context& context, const HttpOptions& options) {
  error_code error;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(options.host, std::to_string(options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty())
    throw InputError(fmt::format(
        "--host: expected an address or a name of this machine, found '{}'", options.host));
  return found.begin()->endpoint();
}

}  // namespace

class HttpServer::Listener {
 public:
  Listener(const HttpOptions& options, CheckHeader check_header, OnRequest on_request)
      : service_(std::make_shared<HttpService>()),
        acceptor_(service_->context),
        again_(service_->context) {
    service_->options = options;
    service_->check_header = std::move(check_header);
    service_->on_request = std::move(on_request);
    const tcp::endpoint endpoint = endpoint_of(service_->context, options);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) local_ = acceptor_.local_endpoint(error);
    if (error)
      throw InputError(fmt::format("--host {} --port {}: cannot be listened on: {}", options.host,
                                   options.port, error.message()));
    accept();
    thread_ = std::thread([service = service_] { service->context.run(); });
  }

  ~Listener() {
    service_->context.stop();
    thread_.join();
    service_->is_stopped = true;
    for (const auto& connection : std::exchange(connections_, {})) connection->end();
    // What waits holds the connections: it is told that they have ended.
    error_code ignored;
    acceptor_.close(ignored);
    again_.cancel();
    service_->context.restart();
    service_->context.poll();
  }

  const tcp::endpoint& local() const { return local_; }

  void stop_listening() {
    service_->is_ending = true;
    asio::post(service_->context, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      const auto all = connections_;
      for (const auto& connection : all)
        if (connection->is_idle()) connection->end();
    });
  }

  bool finish(std::chrono::milliseconds patience) const {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (service_->answering > 0) {
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (!error) {
        add(std::move(socket));
        return accept();
      }
      again_.expires_after(kBeforeNextAccept);
      again_.async_wait([this](error_code cancelled) {
        if (!cancelled) accept();
      });
    });
  }

  void add(tcp::socket socket) {
    if (static_cast<int>(connections_.size()) >= service_->options.most_connections) {
      const auto idle = std::find_if(connections_.begin(), connections_.end(),
                                     [](const auto& one) { return one->is_idle(); });
      if (idle == connections_.end()) return;  // the socket closes
      std::shared_ptr<HttpConnection>(*idle)->end();
    }
    const auto connection = std::make_shared<HttpConnection>(service_, std::move(socket));
    connections_.push_back(connection);
    connection->start([this, raw = connection.get()] {
      std::erase_if(connections_, [raw](const auto& one) { return one.get() == raw; });
    });
  }

  std::shared_ptr<HttpService> service_;
  tcp::acceptor acceptor_;
  asio::steady_timer again_;
  tcp::endpoint local_;
  std::vector<std::shared_ptr<HttpConnection>> connections_;  // the oldest first
  std::thread thread_;
};

bool is_loopback(const HttpOptions& options) {
  asio::io_context context;
  return endpoint_of(context, options).address().is_loopback();
}

HttpServer::HttpServer(const HttpOptions& options, CheckHeader check_header, OnRequest on_request)
    : listener_(
          std::make_unique<Listener>(options, std::move(check_header), std::move(on_request))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return listener_->local().port(); }

std::string HttpServer::url() const {
  const auto address = listener_->local().address();
  const std::string host = address.to_string();
  return fmt::format("http://{}:{}", address.is_v6() ? "[" + host + "]" : host, port());
}

void HttpServer::stop_listening() { listener_->stop_listening(); }
bool HttpServer::finish(std::chrono::milliseconds patience) { return listener_->finish(patience); }

}  // namespace outrider::serve
