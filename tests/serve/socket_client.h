#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::test {

/// A response as a client reads it.
struct Received {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // of chunks: put together
  bool is_whole = false;  // ended as its header says, not by the end of the connection

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  /// The events of a stream: what follows "data: ", and comments.
  std::vector<std::string> events() const;
};

/// A connection to a port of this machine by plain sockets, which can also do what no client should.
class SocketClient {
 public:
  explicit SocketClient(int port);
  ~SocketClient() { close(); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  /// Makes the buffer for what is not read yet as small as the system allows; before anything comes.
  static constexpr int kSmallBuffer = 4096;
  SocketClient(int port, int receive_buffer);

  void send(std::string_view text);
  /// Whether anything that was sent cannot be any more.
  bool send_fails(std::string_view text);
  /// Reads the next response.
  Received receive(std::chrono::seconds patience = std::chrono::seconds(100));
  /// Reads until `text` has come. @return false at the end of the connection
  bool receive_until(std::string_view text);
  /// Whether the server ends the connection within this time.
  bool is_ended_within(std::chrono::milliseconds time);
  void close();

 private:
  bool read_more(std::chrono::milliseconds patience);

  int socket_ = -1;
  std::string unread_;
};

/// The header and body of a request.
std::string http_request(const std::string& method, const std::string& path,
                         const std::string& body = "", const std::string& more_headers = "");

/// One request on a connection of its own.
Received ask(int port, const std::string& request);
Received get(int port, const std::string& path, const std::string& more_headers = "");
Received post(int port, const std::string& path, const nlohmann::json& body,
              const std::string& more_headers = "");

}  // namespace outrider::test
