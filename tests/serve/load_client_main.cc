// Asks a server for streams from several clients at once, and says when their texts came, as JSON; for
// scripts/serve_figures. A client in Python would take time of the cores that the server computes on.

#include <fmt/core.h>

#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tests/serve/load_client.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "load_client PORT PATH BODIES.jsonl CLIENTS\n");
    return 2;
  }
  try {
    std::ifstream file(argv[3]);
    std::vector<std::string> bodies;
    for (std::string line; std::getline(file, line);) bodies.push_back(line);
    const outrider::test::LoadResult result =
        outrider::test::run_load(std::stoi(argv[1]), argv[2], bodies, std::stoi(argv[4]));
    fmt::print("{{\"seconds\": {}, \"streams\": [", result.seconds);
    const char* comma = "";
    for (const outrider::test::ReceivedStream& one : result.streams) {
      fmt::print(
          "{}{{\"request\": {}, \"first\": {}, \"last\": {}, \"end\": {}, \"tokens\": {}, "
          "\"frames\": {}, \"plain\": {}, \"faster\": {}}}",
          comma, one.request, one.first, one.last, one.end, one.tokens, one.frames, one.plain,
          one.faster);
      comma = ", ";
    }
    fmt::print("]}}\n");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "load_client: {}\n", error.what());
    return 1;
  }
}
