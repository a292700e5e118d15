#include "runtime/draft/copy/reference_index.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace outrider::draft {
namespace {

/// Positions by the tokens before them, the last of these first, then by where they are.
class Backwards {
 public:
  explicit Backwards(const std::vector<Token>& tokens) : tokens_(tokens) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t back = 1; back <= ReferenceIndex::kLongest; ++back) {
      const Token of_a = tokens_[a - back], of_b = tokens_[b - back];
      if (of_a != of_b) return of_a < of_b;
      if (of_a == ReferenceIndex::kEnd) break;  // what is before it belongs to other texts
    }
    return a < b;
  }

 private:
  const std::vector<Token>& tokens_;
};

}  // namespace

ReferenceIndex::ReferenceIndex(std::span<const Token> tokens) {
  if (tokens.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::logic_error("ReferenceIndex: too many tokens");
  tokens_.reserve(tokens.size() + 1);
  // An end before the first text, too: whatever reads backwards stops there.
  tokens_.push_back(kEnd);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  order_.reserve(tokens_.size());
  for (std::uint32_t position = 1; position < tokens_.size(); ++position)
    if (tokens_[position - 1] != kEnd && tokens_[position] != kEnd) order_.push_back(position);
  std::sort(order_.begin(), order_.end(), Backwards(tokens_));
}

int ReferenceIndex::common(std::uint32_t position, std::span<const Token> text, int most) const {
  most = std::min(most, static_cast<int>(text.size()));
  int equal = 0;
  while (equal < most && tokens_[position - 1 - static_cast<std::uint32_t>(equal)] ==
                             text[text.size() - 1 - static_cast<std::size_t>(equal)])
    ++equal;
  return equal;
}

ReferenceIndex::Match ReferenceIndex::longest_match(std::span<const Token> text, int most) const {
  most = std::min({most, kLongest, static_cast<int>(text.size())});
  const auto is_before = [&](std::uint32_t position) {
    const int equal = common(position, text, most);
    return equal < most && tokens_[position - 1 - static_cast<std::uint32_t>(equal)] <
                               text[text.size() - 1 - static_cast<std::size_t>(equal)];
  };
  // The longest match is next to where the text's own end would be.
  const auto here = std::partition_point(order_.begin(), order_.end(), is_before);
  int longest = here == order_.end() ? 0 : common(*here, text, most);
  if (here != order_.begin()) longest = std::max(longest, common(*(here - 1), text, most));
  if (longest == 0) return {};
  const auto is_shorter = [&](std::uint32_t position) {
    return common(position, text, longest) < longest;
  };
  const auto first = std::partition_point(
      order_.begin(), here, [&](std::uint32_t position) { return is_shorter(position); });
  const auto last = std::partition_point(
      here, order_.end(), [&](std::uint32_t position) { return !is_shorter(position); });
  return {longest, {first, last}};
}

void ReferenceIndex::follow(const Match& match, int tokens, std::vector<std::uint32_t>& positions,
                            std::vector<Token>& continuation) const {
  continuation.clear();
  positions.clear();
  const std::size_t all = match.positions.size();
  const std::size_t compared = std::min<std::size_t>(all, kCompared);
  for (std::size_t i = 0; i < compared; ++i)
    positions.push_back(match.positions[(i + 1) * all / compared - 1]);
  std::sort(positions.begin(), positions.end());
  while (static_cast<int>(continuation.size()) < tokens) {
    std::erase_if(positions, [this](std::uint32_t position) {
      return position >= tokens_.size() || tokens_[position] == kEnd;
    });
    if (positions.empty()) return;
    Token chosen = kEnd;
    std::ptrdiff_t most = 0;
    // From the last position on, so that of a tie the last is chosen.
    for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
      const Token token = tokens_[*position];
      if (token == chosen) continue;
      const auto count =
          std::count_if(positions.begin(), positions.end(),
                        [&](std::uint32_t other) { return tokens_[other] == token; });
      if (count > most) {
        most = count;
        chosen = token;
      }
    }
    continuation.push_back(chosen);
    std::erase_if(positions, [&](std::uint32_t position) { return tokens_[position] != chosen; });
    for (std::uint32_t& position : positions) ++position;
  }
}

}  // namespace outrider::draft
