#include "runtime/draft/ngram/recycled_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace outrider::draft {
namespace {

constexpr Token kAlone = RecycledRows::kAny;

std::vector<Token> tokens_of(const RecycledRows& rows, Token before, Token token) {
  const auto found = rows.find(before, token).tokens;
  return {found.begin(), found.end()};
}

TEST(RecycledRows, ALaterRowOfTheSameTokensReplacesTheEarlierOne) {
  RecycledRows rows(2);
  EXPECT_EQ(tokens_of(rows, kAlone, 5), (std::vector<Token>{}));
  rows.put(kAlone, 5, std::vector<sampling::RankedToken>{{7, 2.5, 2.5}, {8, 1, 1}});
  rows.put(4, 5, std::vector<sampling::RankedToken>{{9, 3, 3}, {6, 1, 1}});
  EXPECT_EQ(tokens_of(rows, kAlone, 5), (std::vector<Token>{7, 8}));
  EXPECT_EQ(rows.find(kAlone, 5).logits[0], 2.5F);
  EXPECT_EQ(tokens_of(rows, 4, 5), (std::vector<Token>{9, 6}));
  EXPECT_EQ(tokens_of(rows, 5, 4), (std::vector<Token>{})) << "the order of two tokens matters";

  rows.put(kAlone, 5, std::vector<sampling::RankedToken>{{1, 4, 4}, {2, 3, 3}, {3, 2, 2}});
  EXPECT_EQ(tokens_of(rows, kAlone, 5), (std::vector<Token>{1, 2}))
      << "as many as there is room for";
  rows.put(kAlone, 5, std::vector<sampling::RankedToken>{{3, 4, 4}});
  EXPECT_EQ(tokens_of(rows, kAlone, 5), (std::vector<Token>{3}))
      << "nothing of the earlier row stays";
  EXPECT_EQ(tokens_of(rows, 4, 5), (std::vector<Token>{9, 6}));

  rows.clear();
  EXPECT_EQ(tokens_of(rows, kAlone, 5), (std::vector<Token>{}));
  EXPECT_EQ(tokens_of(rows, 4, 5), (std::vector<Token>{}));
}

TEST(RecycledRows, ManyRowsKeepMostOfThemAndNeverMixThem) {
  RecycledRows rows(1);
  std::mt19937 random(1);
  std::map<std::pair<Token, Token>, Token> put;
  for (int i = 0; i < 4000; ++i) {
    const auto before = static_cast<Token>(random() % 49152),
               token = static_cast<Token>(random() % 49152);
    const auto next = static_cast<Token>(random() % 49152);
    put[{before, token}] = next;
    rows.put(before, token, std::vector<sampling::RankedToken>{{next, 0, 0}});
  }
  int found = 0;
  for (const auto& [key, next] : put) {
    const std::vector<Token> row = tokens_of(rows, key.first, key.second);
    if (row.empty()) continue;
    EXPECT_EQ(row[0], next);
    ++found;
  }
  EXPECT_GT(found, 3000);
}

}  // namespace
}  // namespace outrider::draft
