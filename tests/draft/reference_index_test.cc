#include "runtime/draft/copy/reference_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {
namespace {

constexpr Token kEndOfOne = ReferenceIndex::kEnd;

struct Found {
  int matching = 0;
  std::vector<Token> continuation;
  bool operator==(const Found&) const = default;
};

Found found(const ReferenceIndex& index, const std::vector<Token>& text, int tokens = 3,
            int most = ReferenceIndex::kLongest) {
  Found found;
  const auto match = index.longest_match(text, most);
  std::vector<std::uint32_t> positions;
  found.matching = match.tokens;
  index.follow(match, tokens, positions, found.continuation);
  return found;
}

Found found(const std::vector<Token>& reference, const std::vector<Token>& text, int tokens = 3,
            int most = ReferenceIndex::kLongest) {
  return found(ReferenceIndex(reference), text, tokens, most);
}

TEST(ReferenceIndex, ContinuesTheLongestMatch) {
  // 2 3 before 4, 3 alone before 8.
  const std::vector<Token> reference = {1, 2, 3, 4, 5, kEndOfOne, 9, 3, 8, 6, kEndOfOne};
  EXPECT_EQ(found(reference, {7, 2, 3}), (Found{2, {4, 5}}));
  EXPECT_EQ(found(reference, {9, 9, 3}), (Found{2, {8, 6}}));
  EXPECT_EQ(found(reference, {1, 2, 3}, 1), (Found{3, {4}}));
  EXPECT_EQ(found(reference, {7, 7}), Found{});
  EXPECT_EQ(found(reference, {}), Found{});
}

TEST(ReferenceIndex, NeitherMatchesNorContinuesAcrossTheEndOfAText) {
  const std::vector<Token> reference = {1, 2, 3, kEndOfOne, 4, 5, kEndOfOne};
  EXPECT_EQ(found(reference, {1, 2}), (Found{2, {3}}));
  EXPECT_EQ(found(reference, {2, 3}), Found{}) << "nothing follows in that text";
  EXPECT_EQ(found({2, 7, kEndOfOne, 3, 4, kEndOfOne, 3, 5, kEndOfOne, 3, 5, kEndOfOne}, {2, 3}),
            (Found{1, {5}}));
  EXPECT_EQ(found({kEndOfOne, kEndOfOne}, {1}), Found{});
  EXPECT_EQ(found({}, {1}), Found{});
}

TEST(ReferenceIndex, AtEachTokenTakesTheMostFrequentContinuation) {
  EXPECT_EQ(found({1, 2, 9, kEndOfOne, 1, 2, 8, kEndOfOne, 1, 3, 7, kEndOfOne}, {1}, 1),
            (Found{1, {2}}));
  // Of a tie the last: 3 after 1, and 8 after 1 2.
  EXPECT_EQ(found({1, 2, kEndOfOne, 1, 3, kEndOfOne}, {1}), (Found{1, {3}}));
  EXPECT_EQ(found({1, 2, 9, kEndOfOne, 1, 2, 8, kEndOfOne, 1, 3, 7, kEndOfOne}, {1}),
            (Found{1, {2, 8}}));
  // One text ends where the other goes on.
  EXPECT_EQ(found({1, 2, 4, kEndOfOne, 1, 2, kEndOfOne}, {1}), (Found{1, {2, 4}}));
}

TEST(ReferenceIndex, TellsNoPositionsApartBeyondWhatIsAskedFor) {
  const std::vector<Token> reference = {5, 1, 2, 3, kEndOfOne, 6, 1, 2, 4, kEndOfOne};
  EXPECT_EQ(found(reference, {5, 1, 2}), (Found{3, {3}}));
  EXPECT_EQ(found(reference, {5, 1, 2}, 3, 2), (Found{2, {4}})) << "a tie at two tokens";
  std::vector<Token> longer(100, 7);
  EXPECT_EQ(found(longer, std::vector<Token>(50, 7), 1, 1000).matching, ReferenceIndex::kLongest);
}

/// By comparing the text with every position.
std::set<std::uint32_t> longest_matches(const std::vector<Token>& reference,
                                        const std::vector<Token>& text, int most, int& longest) {
  std::set<std::uint32_t> positions;
  longest = 0;
  for (std::size_t position = 1; position < reference.size(); ++position) {
    if (reference[position] == kEndOfOne) continue;
    int equal = 0;
    while (equal < most && static_cast<std::size_t>(equal) < std::min(position, text.size()) &&
           reference[position - 1 - static_cast<std::size_t>(equal)] ==
               text[text.size() - 1 - static_cast<std::size_t>(equal)])
      ++equal;
    if (equal == 0 || equal < longest) continue;
    if (equal > longest) positions.clear();
    longest = equal;
    positions.insert(static_cast<std::uint32_t>(position) +
                     1);  // of the index, whose first is an end
  }
  return positions;
}

TEST(ReferenceIndex, FindsWhatComparingEveryPositionFinds) {
  std::mt19937 random(3);
  int deep = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int words = 1 + trial % 4;
    std::vector<Token> reference(static_cast<std::size_t>(random() % 120));
    for (Token& token : reference)
      token = random() % 11 == 0 ? kEndOfOne
                                 : static_cast<Token>(random() % static_cast<unsigned>(words));
    reference.push_back(kEndOfOne);
    const ReferenceIndex index(reference);
    for (int look = 0; look < 10; ++look) {
      std::vector<Token> text(static_cast<std::size_t>(random() % 20));
      for (Token& token : text)
        token = static_cast<Token>(random() % static_cast<unsigned>(words + 1));
      const int most = 1 + static_cast<int>(random() % ReferenceIndex::kLongest);
      int longest = 0;
      const auto expected = longest_matches(reference, text, most, longest);
      const auto match = index.longest_match(text, most);
      EXPECT_EQ(match.tokens, longest);
      EXPECT_EQ(std::set<std::uint32_t>(match.positions.begin(), match.positions.end()), expected);
      deep += longest > 5;
    }
  }
  EXPECT_GT(deep, 10);
}

TEST(ReferenceIndex, TakesEightBytesPerToken) {
  const std::vector<Token> reference(10'000, 3);
  EXPECT_LE(ReferenceIndex(reference).bytes(), 8 * (reference.size() + 1));
}

/// The least of several times, since others share the machine.
template <typename Work>
double seconds_of(const Work& work) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 7; ++i) {
    const Stopwatch watch;
    work();
    least = std::min(least, watch.seconds());
  }
  return least;
}

// Every position of a text of one token matches: as many as the text has tokens.
TEST(ReferenceIndex, LookUpsTakeNoLongerWhereAnNgramIsEverywhere) {
  const std::vector<Token> text(100, 7);
  const auto of_tokens = [&](std::size_t tokens) {
    const ReferenceIndex index(std::vector<Token>(tokens, 7));
    EXPECT_EQ(found(index, text, 10).continuation, std::vector<Token>(10, 7));
    return seconds_of([&] {
      for (int i = 0; i < 50; ++i) found(index, text, 10);
    });
  };
  EXPECT_LT(of_tokens(400'000), 8 * of_tokens(400));
}

}  // namespace
}  // namespace outrider::draft
