#include "runtime/commands/figures.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

inference::GeneratedText text_of(std::size_t output, decode::DecodeStats stats) {
  inference::GeneratedText text;
  text.result.tokens.resize(output);
  text.result.stats = stats;
  return text;
}

TEST(Figures, PoolsTextsAndLeavesOutWhatThePrefillGave) {
  Figures figures;
  figures.add(text_of(21, {10, 40, 10, 0, 100, 0.5, 2.0}));
  figures.add(text_of(11, {5, 10, 5, 0, 50, 0.5, 1.0}));
  const std::string line = figures.line();
  // 150 tokens forwarded in 1 s; 20 + 10 tokens in 3 s and 15 passes.
  EXPECT_EQ(
      line.rfind("2 texts: prefill 150.0 tokens/s, decode 10.0 tokens/s, 2.00 tokens per pass, "
                 "drafted 50, accepted 15, peak memory ",
                 0),
      0u)
      << line;
}

TEST(Figures, TellHowADraftModelsRoundsEnded) {
  decode::DecodeStats stats = {10, 40, 10, 0, 100, 0.5, 2.0};
  stats.draft_counts = {{"rounds", 9}, {"stopped_by_policy", 6}, {"stopped_by_length", 2}};
  Figures figures;
  figures.add(text_of(21, stats));
  figures.add(text_of(21, stats));
  EXPECT_NE(figures.line().find(
                "accepted 20, 18 rounds, of which the policy stopped 12 and their length 4, peak"),
            std::string::npos)
      << figures.line();
}

TEST(Figures, TellHowManyRoundsWereCut) {
  Figures figures;
  figures.add(text_of(21, {10, 40, 10, 2, 100, 0.5, 2.0}));
  EXPECT_NE(figures.line().find("accepted 10, 2 rounds cut for want of room, peak"),
            std::string::npos)
      << figures.line();
}

TEST(Figures, ATextOfOneTokenHasNoRate) {
  Figures figures;
  figures.add(text_of(1, {0, 0, 0, 0, 8, 0.1, 0}));
  EXPECT_NE(figures.line().find("decode - tokens/s, 0.00 tokens per pass"), std::string::npos)
      << figures.line();
}

}  // namespace
}  // namespace outrider
