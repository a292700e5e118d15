#include "runtime/serve/http_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using std::chrono::milliseconds;

/// Bytes of further requests that are read while one is worked on.
constexpr std::size_t kMostReadAhead = std::size_t{64} << 10;
constexpr std::size_t kReadBytes = std::size_t{16} << 10;
/// How long a connection that is ended after a refusal still reads, so that the client gets the answer.
constexpr milliseconds kLinger{2000};
/// Before connections are accepted again when the system has no more descriptors.
constexpr milliseconds kBeforeNextAccept{100};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// What all connections share.
struct Service {
  HttpOptions options;
  CheckHeader check_header;
  OnRequest on_request;
  asio::io_context context{1};
  std::atomic<int> answering{0};        // requests whose answer is not written yet
  std::atomic<bool> is_ending{false};   // connections end after their answer
  std::atomic<bool> is_stopped{false};  // nothing is done any more
};

/// One connection. All of it runs in the server's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Service> service, tcp::socket socket)
      : service_(std::move(service)),
        socket_(std::move(socket)),
        deadline_(service_->context),
        stall_(service_->context),
        ping_(service_->context) {}

  /// @param on_end  called when it has ended
  void start(std::function<void()> on_end) {
    on_end_ = std::move(on_end);
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    begin_request();
    read();
  }

  /// Whether it is between requests.
  bool is_idle() const { return !is_answering_ && buffer_.size() == 0 && !is_lingering_; }

  void end() {
    if (is_ended_) return;
    is_ended_ = true;
    abandoned_->store(true);
    error_code ignored;
    socket_.close(ignored);
    deadline_.cancel();
    stall_.cancel();
    ping_.cancel();
    if (is_answering_) {
      is_answering_ = false;
      --service_->answering;
    }
    on_end_();
  }

  // What a reply to request number `request` asks for.

  void send(int request, HttpResponse response) {
    if (!is_current(request) || is_streaming_) return;
    std::string text = head_of(response.status, response.type, response.headers);
    text += fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
    if (!is_head_) text += response.body;
    write(std::move(text));
    end_answer();
  }

  void begin_stream(int request, const std::vector<std::pair<std::string, std::string>>& headers) {
    if (!is_current(request) || is_streaming_) return;
    is_streaming_ = true;
    std::string text = head_of(200, "text/event-stream; charset=utf-8", headers);
    // The second tells nginx not to collect frames.
    text += "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
    if (is_chunked()) text += "Transfer-Encoding: chunked\r\n";
    write(text + "\r\n");
    wait_for_ping();
  }

  void send_event(int request, const std::string& data) {
    if (!is_current(request) || !is_streaming_) return;
    write_chunk("data: " + data + "\n\n");
    wait_for_ping();
  }

  void end_stream(int request) {
    if (!is_current(request) || !is_streaming_) return;
    if (is_chunked()) write("0\r\n\r\n");
    ping_.cancel();
    end_answer();
  }

 private:
  friend class ConnectionReply;

  /// Whether a reply to this request still has something to say.
  bool is_current(int request) const {
    return !is_ended_ && is_answering_ && !is_answer_made_ && request == request_;
  }
  bool is_chunked() const { return version_ >= 11; }

  /// Runs `action` after this long, unless the timer is set again or cancelled.
  template <typename Action>
  void after(asio::steady_timer& timer, milliseconds time, Action action) {
    timer.expires_after(time);
    timer.async_wait([self = shared_from_this(), action](error_code error) {
      if (!error && !self->is_ended_) action(*self);
    });
  }

  void begin_request() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(service_->options.most_header_bytes));
    parser_->body_limit(service_->options.most_body_bytes);
    parser_->eager(true);
    is_header_checked_ = false;
    has_begun_ = false;
    after(deadline_, service_->options.idle_time, [](Connection& self) { self.end(); });
  }

  void read() {
    if (is_reading_ || is_ended_) return;
    is_reading_ = true;
    socket_.async_read_some(buffer_.prepare(kReadBytes),
                            [self = shared_from_this()](error_code error, std::size_t bytes) {
                              self->is_reading_ = false;
                              self->on_read(error, bytes);
                            });
  }

  void on_read(error_code error, std::size_t bytes) {
    if (is_ended_) return;
    if (error) return end();  // the client has gone away
    if (is_lingering_) return read();
    buffer_.commit(bytes);
    if (!is_answering_) parse();
    // What comes while an answer is made is the next request, or the end of the connection.
    if (!is_ended_ && (!is_answering_ || buffer_.size() < kMostReadAhead)) read();
  }

  /// Reads as much of a request as is there.
  void parse() {
    if (buffer_.size() > 0 && !has_begun_) {
      has_begun_ = true;
      after(deadline_, service_->options.header_time, [](Connection& self) { self.time_out(); });
    }
    while (!is_answering_ && !is_ended_ && buffer_.size() > 0) {
      error_code error;
      const std::size_t used = parser_->put(buffer_.data(), error);
      buffer_.consume(used);
      if (error && error != http::error::need_more) return refuse_syntax(error);
      if (parser_->is_header_done() && !is_header_checked_ && !check_header()) return;
      if (parser_->is_done()) return dispatch();
      if (error == http::error::need_more || used == 0) return;
    }
  }

  /// @return false if the request is refused
  bool check_header() {
    is_header_checked_ = true;
    const auto& message = parser_->get();
    version_ = static_cast<int>(message.version());
    keeps_alive_ = parser_->keep_alive();
    is_head_ = message.method() == http::verb::head;
    request_of_header_ = {};
    HttpRequest& request = request_of_header_;
    request.method = std::string(message.method_string());
    const std::string target(message.target());
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = target.substr(mark + 1);
    for (const auto& field : message)
      request.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
    if (auto refused = service_->check_header(request)) {
      refuse(*refused);
      return false;
    }
    after(deadline_, service_->options.body_time, [](Connection& self) { self.time_out(); });
    if (!parser_->is_done() && lower(request.header("expect")) == "100-continue")
      write("HTTP/1.1 100 Continue\r\n\r\n");
    return true;
  }

  void dispatch();

  void refuse_syntax(error_code error) {
    const HttpOptions& options = service_->options;
    if (error == http::error::body_limit)
      return refuse_with(
          {413, fmt::format("the body has more than {} bytes", options.most_body_bytes)});
    if (error == http::error::header_limit)
      return refuse_with(
          {431, fmt::format("the header has more than {} bytes", options.most_header_bytes)});
    refuse_with({400, fmt::format("not a request of HTTP: {}", error.message())});
  }

  void time_out() { refuse_with({408, "the request did not arrive in time"}); }

  void refuse_with(const ApiError& error) {
    refuse({.status = error.status, .body = error_body(error)});
  }

  /// Answers what is not, or not fully, read, and ends the connection.
  void refuse(const HttpResponse& response) {
    keeps_alive_ = false;
    std::string text = head_of(response.status, response.type, response.headers);
    text += fmt::format("Content-Length: {}\r\n\r\n{}", response.body.size(), response.body);
    is_lingering_ = true;
    buffer_.consume(buffer_.size());
    write(std::move(text));
  }

  std::string head_of(int status, const std::string& type,
                      const std::vector<std::pair<std::string, std::string>>& headers) {
    if (service_->is_ending) keeps_alive_ = false;
    std::string text =
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", status,
                    std::string(http::obsolete_reason(static_cast<http::status>(status))), type);
    if (!keeps_alive_ || (version_ < 11 && is_streaming_)) {
      keeps_alive_ = false;
      text += "Connection: close\r\n";
    } else if (version_ < 11) {
      text += "Connection: keep-alive\r\n";
    }
    for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
    return text;
  }

  void end_answer() {
    is_answer_made_ = true;
    go_on_after_answer();
  }

  void write_chunk(const std::string& text) {
    write(is_chunked() ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : text);
    if (unwritten_ > service_->options.most_unread_bytes) end();
  }

  void write(std::string text) {
    if (is_ended_) return;
    unwritten_ += text.size();
    unsent_.push_back(std::move(text));
    if (unsent_.size() == 1) write_some();
  }

  void write_some() {
    after(stall_, service_->options.stall_time, [](Connection& self) { self.end(); });
    const std::string& text = unsent_.front();
    socket_.async_write_some(asio::buffer(text.data() + sent_, text.size() - sent_),
                             [self = shared_from_this()](error_code error, std::size_t bytes) {
                               self->on_written(error, bytes);
                             });
  }

  void on_written(error_code error, std::size_t bytes) {
    if (is_ended_) return;
    if (error) return end();
    sent_ += bytes;
    unwritten_ -= bytes;
    if (sent_ == unsent_.front().size()) {
      unsent_.pop_front();
      sent_ = 0;
    }
    if (!unsent_.empty()) return write_some();
    stall_.cancel();
    go_on_after_answer();
  }

  /// Once the whole answer is written: the next request, or the end.
  void go_on_after_answer() {
    if (is_ended_ || !unsent_.empty()) return;
    if (is_lingering_) {
      error_code ignored;
      socket_.shutdown(tcp::socket::shutdown_send, ignored);
      after(deadline_, kLinger, [](Connection& self) { self.end(); });
      return read();
    }
    if (!is_answering_ || !is_answer_made_) return;
    is_answering_ = is_streaming_ = false;
    --service_->answering;
    if (!keeps_alive_ || service_->is_ending) {
      is_lingering_ = true;
      return go_on_after_answer();
    }
    begin_request();
    parse();
    if (!is_ended_ && !is_answering_) read();
  }

  /// A comment when nothing has been said for a while, so that nobody on the way takes the stream for dead.
  void wait_for_ping() {
    after(ping_, service_->options.ping_time, [](Connection& self) {
      if (!self.is_answering_ || !self.is_streaming_) return;
      self.write_chunk(": ping\n\n");
      self.wait_for_ping();
    });
  }

  std::shared_ptr<Service> service_;
  tcp::socket socket_;
  asio::steady_timer deadline_;  // of what is read
  asio::steady_timer stall_;     // of what is written
  asio::steady_timer ping_;
  std::function<void()> on_end_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_of_header_;
  int version_ = 11;
  int request_ = 0;  // the number of the one that is answered
  bool has_begun_ = false, is_header_checked_ = false, is_head_ = false, keeps_alive_ = true;
  bool is_reading_ = false;
  bool is_answering_ = false, is_streaming_ = false, is_answer_made_ = false;
  bool is_lingering_ = false;  // what is read is thrown away until the client ends
  bool is_ended_ = false;
  std::deque<std::string> unsent_;
  std::size_t sent_ = 0;  // bytes of the first
  std::size_t unwritten_ = 0;
  std::shared_ptr<std::atomic<bool>> abandoned_ = std::make_shared<std::atomic<bool>>(false);
};

class ConnectionReply : public Reply {
 public:
  ConnectionReply(std::shared_ptr<Service> service, std::shared_ptr<Connection> connection,
                  int request)
      : service_(std::move(service)),
        connection_(std::move(connection)),
        abandoned_(connection_->abandoned_),
        request_(request) {}
  ~ConnectionReply() override {
    // One that was answered ignores this.
    post([](Connection& connection, int request) {
      if (connection.is_current(request) && connection.is_streaming_) return connection.end();
      connection.send(request,
                      {.status = 500, .body = error_body({500, "the request was dropped"})});
    });
  }

  void send(HttpResponse response) override {
    post([response = std::move(response)](Connection& connection, int request) {
      connection.send(request, response);
    });
  }
  void begin_stream(std::vector<std::pair<std::string, std::string>> headers) override {
    post([headers = std::move(headers)](Connection& connection, int request) {
      connection.begin_stream(request, headers);
    });
  }
  void send_event(std::string data) override {
    post([data = std::move(data)](Connection& connection, int request) {
      connection.send_event(request, data);
    });
  }
  void end_stream() override {
    post([](Connection& connection, int request) { connection.end_stream(request); });
  }
  bool is_abandoned() const override { return abandoned_->load(); }

 private:
  template <typename Action>
  void post(Action action) {
    if (service_->is_stopped) return;
    asio::post(service_->context, [connection = connection_, request = request_,
                                   action = std::move(action)] { action(*connection, request); });
  }

  std::shared_ptr<Service> service_;  // the last reply may outlive the server
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<std::atomic<bool>> abandoned_;
  int request_;
};

void Connection::dispatch() {
  HttpRequest request = std::move(request_of_header_);
  request.body = std::move(parser_->get().body());
  deadline_.cancel();
  is_answering_ = true;
  is_answer_made_ = is_streaming_ = false;
  ++request_;
  ++service_->answering;
  service_->on_request(std::move(request),
                       std::make_shared<ConnectionReply>(service_, shared_from_this(), request_));
}

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
      : service_(std::make_shared<Service>()),
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
      std::shared_ptr<Connection>(*idle)->end();
    }
    const auto connection = std::make_shared<Connection>(service_, std::move(socket));
    connections_.push_back(connection);
    connection->start([this, raw = connection.get()] {
      std::erase_if(connections_, [raw](const auto& one) { return one.get() == raw; });
    });
  }

  std::shared_ptr<Service> service_;
  tcp::acceptor acceptor_;
  asio::steady_timer again_;
  tcp::endpoint local_;
  std::vector<std::shared_ptr<Connection>> connections_;  // the oldest first
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
