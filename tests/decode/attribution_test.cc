#include "runtime/decode/attribution.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {

static bool operator==(const CopiedSpan& a, const CopiedSpan& b) {
  return a.begin == b.begin && a.end == b.end && a.source == b.source;
}

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
static void PrintTo(const CopiedSpan& span, std::ostream* out) {
  *out << "[" << span.begin << ", " << span.end << ") from " << span.source;
}

namespace {

using Spans = std::vector<CopiedSpan>;

Spans spans_of(int prompt, int min_span, const std::vector<int>& sources) {
  Attribution attribution(prompt, min_span);
  for (const int source : sources) attribution.push(source);
  return attribution.spans();
}

TEST(Attribution, RunsOfCopiedTokensAreSpans) {
  EXPECT_EQ(spans_of(10, 1, {-1, 3, 4, 5, -1, -1, 8, -1}), (Spans{{0, 4, 2}, {5, 7, 7}}));
  EXPECT_EQ(spans_of(10, 3, {-1, 3, 4, 5, -1, -1, 8, -1}), (Spans{{0, 4, 2}}));
  EXPECT_EQ(spans_of(10, 5, {-1, 3, 4, 5, -1, -1, 8}), Spans());
}

TEST(Attribution, ADraftThatCopiesOnBelongsToTheSpanBeforeIt) {
  // Two tokens a draft, and the target's own token between.
  EXPECT_EQ(spans_of(10, 5, {2, 3, -1, 5, 6, -1, 8}), (Spans{{0, 7, 2}}));
  // The pass between added one token more, or the copy continues elsewhere.
  EXPECT_EQ(spans_of(10, 1, {2, 3, -1, -1, 6}), (Spans{{0, 2, 2}, {3, 5, 5}}));
  EXPECT_EQ(spans_of(10, 1, {2, 3, -1, 4}), (Spans{{0, 2, 2}, {2, 4, 3}}));
  // Two drafts that follow each other at once.
  EXPECT_EQ(spans_of(10, 1, {2, 3, 7, 8}), (Spans{{0, 2, 2}, {2, 4, 7}}));
}

TEST(Attribution, ADraftContinuesTheTokenBeforeIt) {
  EXPECT_EQ(spans_of(10, 1, {-1, -1, 4, 5}), (Spans{{1, 4, 3}}));
  EXPECT_EQ(spans_of(10, 1, {4, 5}), (Spans{{0, 2, 4}})) << "the prompt's last token is before it";
  EXPECT_EQ(spans_of(10, 1, {-1, 0, 1}), (Spans{{1, 3, 0}})) << "nothing is before the source";
  // Answer tokens 2 and 3 from 4 and 5, then 3 again, then 2 again: before them are 4 and the answer's token 0.
  EXPECT_EQ(spans_of(10, 1, {-1, -1, -1, 5, -1, -1, 13, -1}), (Spans{{2, 4, 4}, {5, 7, 4}}));
  EXPECT_EQ(spans_of(10, 1, {-1, 5, 6, -1, -1, -1, 10, 11}), (Spans{{0, 3, 4}, {6, 8, 4}}));
  // Before the source is the prompt's last token, which is not before where its token came from.
  EXPECT_EQ(spans_of(10, 1, {3, 4, -1, -1, 10, 11}), (Spans{{0, 2, 3}, {4, 6, 3}}));
}

TEST(Attribution, ACopyOfACopyComesFromThePrompt) {
  // Tokens 0 to 4 from the prompt's 2 to 6, then tokens 0 to 4 again; then the answer's own token 5.
  EXPECT_EQ(spans_of(10, 1, {2, 3, -1, 5, 6, -1, 10, 11, 12, 13, 14, 15}),
            (Spans{{0, 5, 2}, {6, 11, 2}}));
  EXPECT_EQ(spans_of(10, 1, {-1, -1, -1, 10, 11, 12}), Spans());
}

TEST(Attribution, TokensAreDecidedWhenNothingCanChangeWhatTheyAre) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> sources;
    for (int i = 0, at = -1; i < 40; ++i) {
      const auto what = random() % 8;
      at = what == 0                        ? static_cast<int>(random() % 30)
           : what < 6 && at >= 0 && at < 29 ? at + 1
                                            : -1;
      // Sometimes the token between two drafts, or within one.
      sources.push_back(random() % 6 == 0 ? -1 : at);
    }
    const int min_span = 1 + static_cast<int>(random() % 5);
    const Spans final = spans_of(30, min_span, sources);
    const auto place = [](const Spans& spans, int token) {
      for (const CopiedSpan& span : spans)
        if (span.begin <= token && token < span.end) return span.source + token - span.begin;
      return draft::Origin::kNone;
    };
    Attribution attribution(30, min_span);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      attribution.push(sources[i]);
      ASSERT_LE(attribution.decided(), static_cast<int>(i) + 1);
      // No token waits for more than the shortest span and the tokens between its drafts.
      ASSERT_GE(attribution.decided(), static_cast<int>(i) - 2 * min_span);
      for (int token = 0; token < attribution.decided(); ++token)
        ASSERT_EQ(place(attribution.spans(), token), place(final, token)) << "round " << round;
    }
  }
}

// Text that is given must come out whatever is drafted; the spans must be copies of the prompt.
class AttributedDrafts : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<draft::Drafter> drafter(int length) {
    if (GetParam() == std::string("pld"))
      return std::make_unique<draft::Pld>(draft::PldOptions{2, length});
    if (GetParam() == std::string("a"))
      return std::make_unique<draft::PldPlusA>(
          draft::PldPlusAOptions{.heads = {{1, 0}}, .draft_length = length});
    const int branches = GetParam() == std::string("branches") ? 3 : 1;
    return std::make_unique<draft::PldPlusH>(
        draft::PldPlusHOptions{.layer = 1, .draft_length = length, .branches = branches});
  }
};

TEST_P(AttributedDrafts, EverySpanIsInThePrompt) {
  test::TinyEngine target(model::WeightType::kQ8_0, 3, 1);
  int copied = 0, joined = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const int length = 1 + static_cast<int>(seed % 4);
    const auto prompt = test::random_tokens(60, 40, seed);
    // The prompt's tokens in pieces, and others between them.
    std::mt19937_64 random(seed);
    DecodeLimits limits;
    while (limits.given.size() < 60) {
      const auto from = prompt.begin() + static_cast<std::ptrdiff_t>(random() % 45);
      limits.given.insert(limits.given.end(), from, from + 15);
      limits.given.push_back(static_cast<Token>(100 + random() % 9));
    }
    Attribution attribution(60, 1);
    sampling::Sampler sampler({}, target.engine.config().vocab, seed);
    const auto asked = drafter(length);
    Decoder decoder(target.engine, 200);
    const auto result = decoder.decode(prompt, sampler, asked.get(), limits,
                                       [&](Token, const draft::Origin& origin) {
                                         attribution.push(origin.position);
                                         return true;
                                       });
    EXPECT_EQ(result.tokens, limits.given);
    EXPECT_EQ(result.finish, FinishReason::kStop);
    int in_spans = 0;
    for (const CopiedSpan& span : attribution.spans()) {
      for (int i = span.begin; i < span.end; ++i)
        ASSERT_EQ(result.tokens[static_cast<std::size_t>(i)],
                  prompt[static_cast<std::size_t>(span.source + i - span.begin)]);
      in_spans += span.end - span.begin;
      joined += span.end - span.begin > length ? 1 : 0;
    }
    copied += in_spans;
    EXPECT_GE(result.stats.accepted, in_spans / 2);
  }
  EXPECT_GE(copied, 200);
  EXPECT_GE(joined, 10);
}

INSTANTIATE_TEST_SUITE_P(All, AttributedDrafts, testing::Values("pld", "h", "a", "branches"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace outrider::decode
