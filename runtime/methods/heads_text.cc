#include "runtime/methods/heads_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::methods {
namespace {

engine::Head parse_head(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto layer = parse_integer(text.substr(0, colon));
  const auto head = parse_integer(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!layer || !head || *layer < 1 || *head < 0 || *layer > 9999 || *head > 9999) {
    throw InputError(
        fmt::format("--heads: expected LAYER:HEAD,… such as 12:3,14:5 (layers from 1, heads from "
                    "0), found '{}'",
                    text));
  }
  return {static_cast<int>(*layer), static_cast<int>(*head)};
}

}  // namespace

std::vector<engine::Head> parse_heads(const std::string& text) {
  std::vector<engine::Head> heads;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    heads.push_back(parse_head(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return heads;
}

std::string heads_text(const std::vector<engine::Head>& heads) {
  std::vector<std::string> texts;
  for (const engine::Head& head : heads)
    texts.push_back(fmt::format("{}:{}", head.layer, head.head));
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace outrider::methods
