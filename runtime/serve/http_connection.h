#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/serve/api_error.h"
#include "runtime/serve/http_options.h"

namespace outrider::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using std::chrono::milliseconds;

/// What all connections share.
struct HttpService {
  HttpOptions options;
  CheckHeader check_header;
  OnRequest on_request;
  asio::io_context context{1};
  std::atomic<int> answering{0};        // requests whose answer is not written yet
  std::atomic<bool> is_ending{false};   // connections end after their answer
  std::atomic<bool> is_stopped{false};  // nothing is done any more
};

/// One connection. All of it runs in the server's thread.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(std::shared_ptr<HttpService> service, tcp::socket socket);

  /// @param on_end  called when it has ended
  void start(std::function<void()> on_end);

  /// Whether it is between requests.
  bool is_idle() const { return !is_answering_ && buffer_.size() == 0 && !is_lingering_; }

  void end();

  // What a reply to request number `request` asks for.

  void send(int request, const HttpResponse& response);
  void begin_stream(int request, const std::vector<std::pair<std::string, std::string>>& headers);
  void send_event(int request, const std::string& data);
  void end_stream(int request);
  /// Nobody will answer it any more.
  void drop(int request);

  /// Whether it has ended, for other threads too.
  std::shared_ptr<const std::atomic<bool>> abandoned() const { return abandoned_; }

 private:
  /// Whether a reply to this request still has something to say.
  bool is_current(int request) const;
  bool is_chunked() const { return version_ >= 11; }

  /// Runs `action` after this long, unless the timer is set again or cancelled.
  template <typename Action>
  void after(asio::steady_timer& timer, milliseconds time, Action action) {
    timer.expires_after(time);
    timer.async_wait([self = shared_from_this(), action](error_code error) {
      if (!error && !self->is_ended_) action(*self);
    });
  }

  void begin_request();
  void read();
  void on_read(error_code error, std::size_t bytes);

  /// Reads as much of a request as is there.
  void parse();

  /// @return false if the request is refused
  bool check_header();
  void dispatch();
  void refuse_syntax(error_code error);
  void time_out() { refuse_with({408, "the request did not arrive in time"}); }
  void refuse_with(const ApiError& error);

  /// Answers what is not, or not fully, read, and ends the connection.
  void refuse(const HttpResponse& response);
  std::string head_of(int status, const std::string& type,
                      const std::vector<std::pair<std::string, std::string>>& headers);
  void end_answer();
  void write_chunk(const std::string& text);
  void write(std::string text);
  void write_some();
  void on_written(error_code error, std::size_t bytes);

  /// Once the whole answer is written: the next request, or the end.
  void go_on_after_answer();

  /// A comment when nothing has been said for a while, so that nobody on the way takes the stream for dead.
  void wait_for_ping();

  std::shared_ptr<HttpService> service_;
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

}  // namespace outrider::serve
