#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider::serve {

/// A request of HTTP, read as a whole.
struct HttpRequest {
  std::string method;                                        // "POST"
  std::string path;                                          // without what follows a question mark
  std::string query;                                         // what follows it
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  /// The header of this name, in lower case; empty if there is none.
  std::string_view header(std::string_view name) const {
    for (const auto& [key, value] : headers)
      if (key == name) return value;
    return {};
  }
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those of every response
};

/// Where the answer to one request goes: a response, or a stream of frames. May be called by any thread; nothing
/// waits for the client. A reply that is dropped without an answer is answered with status 500.
class Reply {
 public:
  virtual ~Reply() = default;

  virtual void send(HttpResponse response) = 0;

  /// Begins a stream of server-sent events. @param headers  besides those of every stream
  virtual void begin_stream(std::vector<std::pair<std::string, std::string>> headers) = 0;
  /// An event's data, without line ends.
  virtual void send_event(std::string data) = 0;
  /// Ends the stream.
  virtual void end_stream() = 0;

  /// Whether nobody waits for the answer any more: the client has gone away, or reads too slowly.
  virtual bool is_abandoned() const = 0;
};

}  // namespace outrider::serve
