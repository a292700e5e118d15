#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::test {

/// A stream that a client received. Times are in seconds since its request was sent.
struct ReceivedStream {
  std::size_t request = 0;  // its number
  double first = 0;         // with the first text
  double last = 0;          // with the last text
  double end = 0;
  std::int64_t tokens = 0;  // that the server says it generated
  std::int64_t frames = 0;  // with text
  // That the server says; 0 where it does not.
  double plain = 0;   // seconds: its part of plain decoding of as many texts, after the first token
  double faster = 0;  // times
};

struct LoadResult {
  double seconds = 0;  // from the first request to the last answer
  std::vector<ReceivedStream> streams;
};

/// Asks a server on this machine for streams, from several clients at once, each with a connection that it keeps. A client
/// takes the next request that nobody has asked for yet as soon as it has its answer.
/// @param bodies  JSON, of requests for streams with `include_usage`
/// @throws std::runtime_error for an answer that is no whole stream
LoadResult run_load(int port, const std::string& path, const std::vector<std::string>& bodies,
                    int clients);

}  // namespace outrider::test
