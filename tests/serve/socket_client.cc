#include "tests/serve/socket_client.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace outrider::test {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

std::vector<std::string> Received::events() const {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin < body.size()) {
    const std::size_t end = body.find("\n\n", begin);
    if (end == std::string::npos) {
      all.push_back("UNFINISHED " + body.substr(begin));
      break;
    }
    const std::string event = body.substr(begin, end - begin);
    all.push_back(event.starts_with("data: ") ? event.substr(6) : event);
    begin = end + 2;
  }
  return all;
}

SocketClient::SocketClient(int port) : SocketClient(port, 0) {}

SocketClient::SocketClient(int port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  if (receive_buffer > 0)
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("SocketClient: no connection");
}

void SocketClient::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has ended: what it said can be read
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool SocketClient::send_fails(std::string_view text) {
  return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) <= 0;
}

bool SocketClient::read_more(std::chrono::milliseconds patience) {
  pollfd waiting = {socket_, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
  char buffer[16384];
  const ssize_t bytes = ::recv(socket_, buffer, sizeof buffer, 0);
  if (bytes <= 0) return false;
  unread_.append(buffer, static_cast<std::size_t>(bytes));
  return true;
}

Received SocketClient::receive(std::chrono::seconds patience) {
  Received received;
  std::size_t end = 0;
  while ((end = unread_.find("\r\n\r\n")) == std::string::npos)
    if (!read_more(patience)) return received;
  const std::string header = unread_.substr(0, end + 2);
  unread_.erase(0, end + 4);
  received.status = std::stoi(header.substr(9, 3));
  for (std::size_t line = header.find("\r\n") + 2; line < header.size();) {
    const std::size_t next = header.find("\r\n", line);
    const std::size_t colon = header.find(": ", line);
    received.headers[lower_case(header.substr(line, colon - line))] =
        header.substr(colon + 2, next - colon - 2);
    line = next + 2;
  }
  if (received.status == 100) return receive(patience);
  if (received.headers.count("transfer-encoding") > 0) {
    for (;;) {
      std::size_t line = 0;
      while ((line = unread_.find("\r\n")) == std::string::npos)
        if (!read_more(patience)) return received;
      const std::size_t size = std::stoul(unread_.substr(0, line), nullptr, 16);
      while (unread_.size() < line + 2 + size + 2)
        if (!read_more(patience)) return received;
      received.body += unread_.substr(line + 2, size);
      unread_.erase(0, line + 2 + size + 2);
      if (size == 0) break;
    }
  } else if (received.headers.count("content-length") > 0) {
    const std::size_t size = std::stoul(received.headers["content-length"]);
    while (unread_.size() < size)
      if (!read_more(patience)) return received;
    received.body = unread_.substr(0, size);
    unread_.erase(0, size);
  } else {
    while (read_more(patience)) {
    }
    received.body = std::exchange(unread_, "");
  }
  received.is_whole = true;
  return received;
}

bool SocketClient::receive_until(std::string_view text) {
  while (unread_.find(text) == std::string::npos)
    if (!read_more(std::chrono::seconds(100))) return false;
  return true;
}

bool SocketClient::is_ended_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting = {socket_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
    char buffer[16384];
    if (::recv(socket_, buffer, sizeof buffer, 0) <= 0) return true;
  }
}

void SocketClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

std::string http_request(const std::string& method, const std::string& path,
                         const std::string& body, const std::string& more_headers) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}", method, path, more_headers);
  if (method == "POST")
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  return text + "\r\n" + body;
}

Received ask(int port, const std::string& request) {
  SocketClient client(port);
  client.send(request);
  return client.receive();
}

Received get(int port, const std::string& path, const std::string& more_headers) {
  return ask(port, http_request("GET", path, "", more_headers));
}

Received post(int port, const std::string& path, const nlohmann::json& body,
              const std::string& more_headers) {
  return ask(port, http_request("POST", path, body.dump(), more_headers));
}

}  // namespace outrider::test
