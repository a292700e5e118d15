#include "runtime/draft/copy/reference_index.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace outrider::draft {
namespace {

/// Places by the tokens before them, the last of these first, then by where they are.
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
  for (std::uint32_t place = 1; place < tokens_.size(); ++place)
    if (tokens_[place - 1] != kEnd && tokens_[place] != kEnd) order_.push_back(place);
  std::sort(order_.begin(), order_.end(), Backwards(tokens_));
}

int ReferenceIndex::common(std::uint32_t place, std::span<const Token> text, int most) const {
  most = std::min(most, static_cast<int>(text.size()));
  int equal = 0;
  while (equal < most && tokens_[place - 1 - static_cast<std::uint32_t>(equal)] ==
                             text[text.size() - 1 - static_cast<std::size_t>(equal)])
    ++equal;
  return equal;
}

ReferenceIndex::Match ReferenceIndex::longest_match(std::span<const Token> text, int most) const {
  most = std::min({most, kLongest, static_cast<int>(text.size())});
  const auto is_before = [&](std::uint32_t place) {
    const int equal = common(place, text, most);
    return equal < most && tokens_[place - 1 - static_cast<std::uint32_t>(equal)] <
                               text[text.size() - 1 - static_cast<std::size_t>(equal)];
  };
  // The longest match is next to where the text's own end would be.
  const auto here = std::partition_point(order_.begin(), order_.end(), is_before);
  int longest = here == order_.end() ? 0 : common(*here, text, most);
  if (here != order_.begin()) longest = std::max(longest, common(*(here - 1), text, most));
  if (longest == 0) return {};
  const auto is_shorter = [&](std::uint32_t place) {
    return common(place, text, longest) < longest;
  };
  const auto first = std::partition_point(order_.begin(), here,
                                          [&](std::uint32_t place) { return is_shorter(place); });
  const auto last = std::partition_point(here, order_.end(),
                                         [&](std::uint32_t place) { return !is_shorter(place); });
  return {longest, {first, last}};
}

void ReferenceIndex::follow(const Match& match, int tokens, std::vector<std::uint32_t>& places,
                            std::vector<Token>& continuation) const {
  continuation.clear();
  places.clear();
  const std::size_t all = match.places.size();
  const std::size_t compared = std::min<std::size_t>(all, kCompared);
  for (std::size_t i = 0; i < compared; ++i)
    places.push_back(match.places[(i + 1) * all / compared - 1]);
  std::sort(places.begin(), places.end());
  while (static_cast<int>(continuation.size()) < tokens) {
    std::erase_if(places, [this](std::uint32_t place) {
      return place >= tokens_.size() || tokens_[place] == kEnd;
    });
    if (places.empty()) return;
    Token chosen = kEnd;
    std::ptrdiff_t most = 0;
    // From the last place on, so that of a tie the last is chosen.
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      const Token token = tokens_[*place];
      if (token == chosen) continue;
      const auto count = std::count_if(places.begin(), places.end(), [&](std::uint32_t other) {
        return tokens_[other] == token;
      });
      if (count > most) {
        most = count;
        chosen = token;
      }
    }
    continuation.push_back(chosen);
    std::erase_if(places, [&](std::uint32_t place) { return tokens_[place] != chosen; });
    for (std::uint32_t& place : places) ++place;
  }
}

}  // namespace outrider::draft
