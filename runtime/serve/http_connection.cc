#include "runtime/serve/http_connection.h"

#include <fmt/core.h>

#include <boost/asio/post.hpp>
#include <boost/beast/http/message.hpp>

namespace outrider::serve {
namespace {

/// Bytes of further requests that are read while one is worked on.
constexpr std::size_t kMostReadAhead = std::size_t{64} << 10;
constexpr std::size_t kReadBytes = std::size_t{16} << 10;
/// How long a connection that is ended after a refusal still reads, so that the client gets the answer.
constexpr milliseconds kLinger{2000};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

class HttpConnectionReply : public Reply {
 public:
  HttpConnectionReply(std::shared_ptr<HttpService> service,
                      std::shared_ptr<HttpConnection> connection, int request)
      : service_(std::move(service)),
        connection_(std::move(connection)),
        abandoned_(connection_->abandoned()),
        request_(request) {}
  ~HttpConnectionReply() override {
    // One that was answered ignores this.
    post([](HttpConnection& connection, int request) { connection.drop(request); });
  }

  void send(HttpResponse response) override {
    post([response = std::move(response)](HttpConnection& connection, int request) {
      connection.send(request, response);
    });
  }
  void begin_stream(std::vector<std::pair<std::string, std::string>> headers) override {
    post([headers = std::move(headers)](HttpConnection& connection, int request) {
      connection.begin_stream(request, headers);
    });
  }
  void send_event(std::string data) override {
    post([data = std::move(data)](HttpConnection& connection, int request) {
      connection.send_event(request, data);
    });
  }
  void end_stream() override {
    post([](HttpConnection& connection, int request) { connection.end_stream(request); });
  }
  bool is_abandoned() const override { return abandoned_->load(); }

 private:
  template <typename Action>
  void post(Action action) {
    if (service_->is_stopped) return;
    asio::post(service_->context, [connection = connection_, request = request_,
                                   action = std::move(action)] { action(*connection, request); });
  }

  std::shared_ptr<HttpService> service_;  // the last reply may outlive the server
  std::shared_ptr<HttpConnection> connection_;
  std::shared_ptr<const std::atomic<bool>> abandoned_;
  int request_;
};

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpService> service, tcp::socket socket)
    : service_(std::move(service)),
      socket_(std::move(socket)),
      deadline_(service_->context),
      stall_(service_->context),
      ping_(service_->context) {}

void HttpConnection::start(std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  begin_request();
  read();
}

void HttpConnection::end() {
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

void HttpConnection::send(int request, const HttpResponse& response) {
  if (!is_current(request) || is_streaming_) return;
  std::string text = head_of(response.status, response.type, response.headers);
  text += fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
  if (!is_head_) text += response.body;
  write(std::move(text));
  end_answer();
}

void HttpConnection::begin_stream(int request,
                                  const std::vector<std::pair<std::string, std::string>>& headers) {
  if (!is_current(request) || is_streaming_) return;
  is_streaming_ = true;
  std::string text = head_of(200, "text/event-stream; charset=utf-8", headers);
  // The second tells nginx not to collect frames.
  text += "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
  if (is_chunked()) text += "Transfer-Encoding: chunked\r\n";
  write(text + "\r\n");
  wait_for_ping();
}

void HttpConnection::send_event(int request, const std::string& data) {
  if (!is_current(request) || !is_streaming_) return;
  write_chunk("data: " + data + "\n\n");
  wait_for_ping();
}

void HttpConnection::end_stream(int request) {
  if (!is_current(request) || !is_streaming_) return;
  if (is_chunked()) write("0\r\n\r\n");
  ping_.cancel();
  end_answer();
}

void HttpConnection::drop(int request) {
  if (is_current(request) && is_streaming_) return end();
  send(request, {.status = 500, .body = error_body({500, "the request was dropped"})});
}

bool HttpConnection::is_current(int request) const {
  return !is_ended_ && is_answering_ && !is_answer_made_ && request == request_;
}

void HttpConnection::begin_request() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(service_->options.most_header_bytes));
  parser_->body_limit(service_->options.most_body_bytes);
  parser_->eager(true);
  is_header_checked_ = false;
  has_begun_ = false;
  after(deadline_, service_->options.idle_time, [](HttpConnection& self) { self.end(); });
}

void HttpConnection::read() {
  if (is_reading_ || is_ended_) return;
  is_reading_ = true;
  socket_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            self->is_reading_ = false;
                            self->on_read(error, bytes);
                          });
}

void HttpConnection::on_read(error_code error, std::size_t bytes) {
  if (is_ended_) return;
  if (error) return end();  // the client has gone away
  if (is_lingering_) return read();
  buffer_.commit(bytes);
  if (!is_answering_) parse();
  // What comes while an answer is made is the next request, or the end of the connection.
  if (!is_ended_ && (!is_answering_ || buffer_.size() < kMostReadAhead)) read();
}

void HttpConnection::parse() {
  if (buffer_.size() > 0 && !has_begun_) {
    has_begun_ = true;
    after(deadline_, service_->options.header_time, [](HttpConnection& self) { self.time_out(); });
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

bool HttpConnection::check_header() {
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
  after(deadline_, service_->options.body_time, [](HttpConnection& self) { self.time_out(); });
  if (!parser_->is_done() && lower(request.header("expect")) == "100-continue")
    write("HTTP/1.1 100 Continue\r\n\r\n");
  return true;
}

void HttpConnection::refuse_syntax(error_code error) {
  const HttpOptions& options = service_->options;
  if (error == http::error::body_limit)
    return refuse_with(
        {413, fmt::format("the body has more than {} bytes", options.most_body_bytes)});
  if (error == http::error::header_limit)
    return refuse_with(
        {431, fmt::format("the header has more than {} bytes", options.most_header_bytes)});
  refuse_with({400, fmt::format("not a request of HTTP: {}", error.message())});
}

void HttpConnection::refuse_with(const ApiError& error) {
  refuse({.status = error.status, .body = error_body(error)});
}

void HttpConnection::refuse(const HttpResponse& response) {
  keeps_alive_ = false;
  std::string text = head_of(response.status, response.type, response.headers);
  text += fmt::format("Content-Length: {}\r\n\r\n{}", response.body.size(), response.body);
  is_lingering_ = true;
  buffer_.consume(buffer_.size());
  write(std::move(text));
}

std::string HttpConnection::head_of(
    int status, const std::string& type,
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

void HttpConnection::end_answer() {
  is_answer_made_ = true;
  go_on_after_answer();
}

void HttpConnection::write_chunk(const std::string& text) {
  write(is_chunked() ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : text);
  if (unwritten_ > service_->options.most_unread_bytes) end();
}

void HttpConnection::write(std::string text) {
  if (is_ended_) return;
  unwritten_ += text.size();
  unsent_.push_back(std::move(text));
  if (unsent_.size() == 1) write_some();
}

void HttpConnection::write_some() {
  after(stall_, service_->options.stall_time, [](HttpConnection& self) { self.end(); });
  const std::string& text = unsent_.front();
  socket_.async_write_some(asio::buffer(text.data() + sent_, text.size() - sent_),
                           [self = shared_from_this()](error_code error, std::size_t bytes) {
                             self->on_written(error, bytes);
                           });
}

void HttpConnection::on_written(error_code error, std::size_t bytes) {
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

void HttpConnection::go_on_after_answer() {
  if (is_ended_ || !unsent_.empty()) return;
  if (is_lingering_) {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    after(deadline_, kLinger, [](HttpConnection& self) { self.end(); });
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

void HttpConnection::wait_for_ping() {
  after(ping_, service_->options.ping_time, [](HttpConnection& self) {
    if (!self.is_answering_ || !self.is_streaming_) return;
    self.write_chunk(": ping\n\n");
    self.wait_for_ping();
  });
}

void HttpConnection::dispatch() {
  HttpRequest request = std::move(request_of_header_);
  request.body = std::move(parser_->get().body());
  deadline_.cancel();
  is_answering_ = true;
  is_answer_made_ = is_streaming_ = false;
  ++request_;
  ++service_->answering;
  service_->on_request(std::move(request), std::make_shared<HttpConnectionReply>(
                                               service_, shared_from_this(), request_));
}

}  // namespace outrider::serve
