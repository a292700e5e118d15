#include "runtime/methods/tree_widths.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::methods {
namespace {

constexpr int kMostOfNode = 64;
constexpr int kMostOfWidths = 256;

}  // namespace

std::vector<int> parse_tree_widths(const std::string& text) {
  std::vector<int> widths;
  if (text == "chain") return widths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto width = parse_integer(text.substr(begin, end - begin));
    if (!width || *width < 1 || *width > kMostOfNode)
      throw InputError(fmt::format(
          "--tree: expected chain, or children by depth, 1 to {} each, such as 3,2,1, found '{}'",
          kMostOfNode, text));
    widths.push_back(static_cast<int>(*width));
    begin = end + 1;
  }
  return widths;
}

void check_tree(const std::vector<int>& widths, int depths) {
  if (std::ssize(widths) > depths)
    throw InputError(
        fmt::format("--tree: expected at most {} depths, as --draft-length has, found {}", depths,
                    widths.size()));
  int nodes = 0, level = 1;
  for (int depth = 0; depth < depths; ++depth) {
    if (depth < std::ssize(widths)) level *= widths[static_cast<std::size_t>(depth)];
    nodes += level;
    if (nodes > kMostOfWidths)
      throw InputError(fmt::format("--tree: expected at most {} nodes, found {} down to depth {}",
                                   kMostOfWidths, nodes, depth + 1));
  }
}

}  // namespace outrider::methods
