#include "tests/serve/load_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace outrider::test {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// The server closed a connection before it answered, as it may with one that was kept.
struct Closed : std::runtime_error {
  Closed() : std::runtime_error("the server closed the connection") {}
};

/// A connection that reads answers in chunks.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("nobody listens at port " + std::to_string(port));
    }
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view text) {
    has_answered_ = false;
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw Closed();
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Reads up to a text and drops both. @return what was before it
  std::string read_until(std::string_view end) {
    std::size_t at = 0;
    while ((at = unread_.find(end)) == std::string::npos) read_more();
    std::string before = unread_.substr(0, at);
    unread_.erase(0, at + end.size());
    return before;
  }
  std::string read(std::size_t bytes) {
    while (unread_.size() < bytes) read_more();
    std::string text = unread_.substr(0, bytes);
    unread_.erase(0, bytes);
    return text;
  }

 private:
  void read_more() {
    char buffer[65536];
    const ssize_t bytes = ::recv(socket_, buffer, sizeof buffer, 0);
    if (bytes <= 0 && !has_answered_) throw Closed();
    if (bytes <= 0) throw std::runtime_error("the answer broke off after: " + unread_);
    has_answered_ = true;
    unread_.append(buffer, static_cast<std::size_t>(bytes));
  }

  int socket_;
  bool has_answered_ = false;  // since it was asked
  std::string unread_;
};

/// Whether an event of a stream has text: a key with a value that is not empty.
bool has_text(std::string_view event) {
  for (const std::string_view key : {"\"content\":", "\"text\":"}) {
    const std::size_t at = event.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = event.substr(at + key.size());
    const std::size_t quote = value.find_first_not_of(' ');
    if (quote + 1 < value.size() && value[quote] == '"' && value[quote + 1] != '"') return true;
  }
  return false;
}

/// The number after the key, or 0.
double number_of(std::string_view event, std::string_view key) {
  const std::size_t at = event.rfind(key);
  return at == std::string_view::npos
             ? 0
             : std::atof(std::string(event.substr(at + key.size())).c_str());
}

/// @param is_kept  set to whether the connection can be used again
ReceivedStream ask(Connection& connection, const std::string& path, const std::string& body,
                   bool& is_kept) {
  const auto start = steady_clock::now();
  connection.send("POST " + path +
                  " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body);
  const std::string head = connection.read_until("\r\n\r\n");
  if (head.find(" 200 ") > head.find("\r\n") || head.find("hunked") == std::string::npos)
    throw std::runtime_error("expected a stream, found: " + head);
  is_kept = head.find("onnection: close") == std::string::npos;
  ReceivedStream stream;
  std::string events;
  bool is_done = false;
  for (;;) {
    const std::size_t size = std::stoul(connection.read_until("\r\n"), nullptr, 16);
    events += connection.read(size);
    connection.read_until("\r\n");
    if (size == 0) break;
    for (std::size_t end = 0; (end = events.find("\n\n")) != std::string::npos;) {
      const std::string_view event = std::string_view(events).substr(0, end);
      is_done = is_done || event == "data: [DONE]";
      if (has_text(event)) {
        ++stream.frames;
        stream.last = seconds_since(start);
        if (stream.frames == 1) stream.first = stream.last;
      }
      if (const double tokens = number_of(event, "\"completion_tokens\":"); tokens > 0)
        stream.tokens = static_cast<std::int64_t>(tokens);
      if (const double plain = number_of(event, "\"plain_ms\":"); plain > 0) {
        stream.plain = plain / 1000;
        stream.faster = number_of(event, "\"faster\":");
      }
      events.erase(0, end + 2);
    }
  }
  stream.end = seconds_since(start);
  if (!is_done || stream.tokens == 0)
    throw std::runtime_error("expected a stream with usage and [DONE], found one that ends in: " +
                             events);
  return stream;
}

}  // namespace

LoadResult run_load(int port, const std::string& path, const std::vector<std::string>& bodies,
                    int clients) {
  LoadResult result;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto start = steady_clock::now();
  const auto work = [&] {
    try {
      std::unique_ptr<Connection> connection;
      const auto receive = [&](const std::string& body) {
        const bool is_new = connection == nullptr;
        if (is_new) connection = std::make_unique<Connection>(port);
        bool is_kept = false;
        try {
          const ReceivedStream stream = ask(*connection, path, body, is_kept);
          if (!is_kept) connection.reset();
          return stream;
        } catch (const Closed&) {
          if (is_new) throw;
        }
        connection = std::make_unique<Connection>(port);
        return ask(*connection, path, body, is_kept);
      };
      for (std::size_t i = next++; i < bodies.size(); i = next++) {
        ReceivedStream stream = receive(bodies[i]);
        stream.request = i;
        const std::lock_guard lock(mutex);
        result.streams.push_back(stream);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
  result.seconds = seconds_since(start);
  std::sort(result.streams.begin(), result.streams.end(),
            [](const ReceivedStream& a, const ReceivedStream& b) { return a.request < b.request; });
  return result;
}

}  // namespace outrider::test
