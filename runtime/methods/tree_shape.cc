#include "runtime/methods/tree_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::methods {
namespace {

constexpr int kMostChildren = 64;
constexpr int kMostTreeTokens = 256;
constexpr const char* kBest = "best:";

std::optional<int> number_in(const std::string& text, int most) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > most) return std::nullopt;
  return static_cast<int>(*number);
}

[[noreturn]] void refuse(const std::string& text) {
  throw InputError(
      fmt::format("--tree: expected chain, or children by depth, 1 to {} each, such as 3,2,1, or "
                  "best:N of 1 to {} nodes, found '{}'",
                  kMostChildren, kMostTreeTokens, text));
}

}  // namespace

draft::LevelShape parse_tree(const std::string& text) {
  draft::LevelShape shape = {.length = 0};
  if (text == "chain") return shape;
  if (text.starts_with(kBest)) {
    const auto nodes = number_in(text.substr(std::string(kBest).size()), kMostTreeTokens);
    if (!nodes) refuse(text);
    shape.best_nodes = *nodes;
    return shape;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto width = number_in(text.substr(begin, end - begin), kMostChildren);
    if (!width) refuse(text);
    shape.widths.push_back(*width);
    begin = end + 1;
  }
  shape.length = static_cast<int>(shape.widths.size());
  return shape;
}

void check_tree(const draft::LevelShape& shape) {
  if (std::ssize(shape.widths) > shape.length)
    throw InputError(
        fmt::format("--tree: expected at most {} depths, as --draft-length has, found {}",
                    shape.length, shape.widths.size()));
  if (shape.best_nodes > 0) return;
  int nodes = 0, level = 1;
  for (int depth = 0; depth < shape.length; ++depth) {
    nodes += level *= shape.width(depth);
    if (nodes > kMostTreeTokens)
      throw InputError(fmt::format("--tree: expected at most {} nodes, found {} down to depth {}",
                                   kMostTreeTokens, nodes, depth + 1));
  }
}

}  // namespace outrider::methods
