#include "runtime/draft/copy/with_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "runtime/draft/copy/pld_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

/// Prompt lookup that notes what it is told.
class Noting : public Pld {
 public:
  explicit Noting(const PldOptions& options) : Pld(options) {}
  draft::DrafterTraits traits() const override { return {.wants = {.layers = {1}}}; }
  int begin(const TextStart& text) override { return text.kept - 1; }
  void observe(const engine::Pass&, const draft::ObservedRows& rows) override {
    rows_seen += static_cast<int>(rows.kept.size());
  }
  DrafterReport report(double seconds) const override {
    return {{{name(), seconds}}, {{"told", told}}};
  }
  void verified(std::span<const int> accepted, Token next) override {
    ++told;
    last = {static_cast<int>(accepted.size()), next};
  }

  int rows_seen = 0;
  int told = 0;
  std::pair<int, Token> last = {};  // accepted, next
};

class WithReferenceTest : public testing::Test {
 protected:
  /// @param reference  without the end of its only text
  WithReference drafter(std::vector<Token> reference,
                        const WithReferenceOptions& options = {2, 10}) {
    reference.push_back(ReferenceIndex::kEnd);
    auto copier = std::make_unique<Noting>(PldOptions{.ngram = 10, .draft_length = 2});
    copier_ = copier.get();
    return {std::move(copier), std::make_shared<const ReferenceIndex>(reference), options};
  }
  static std::vector<Token> tokens(const TokenTree& tree) {
    std::vector<Token> tokens;
    for (int node = 1; node < tree.size(); ++node) {
      EXPECT_EQ(tree.parent(node), node - 1) << "the draft is a chain";
      tokens.push_back(tree.token(node));
    }
    return tokens;
  }

  Noting* copier_ = nullptr;
};

TEST_F(WithReferenceTest, CopiesFromTheTextWhereThatMatchesAsFar) {
  // 2 3 is before 4 in the text, and before 9 in the reference.
  WithReference both = drafter({2, 3, 9, 9, 9, 9});
  const TokenTree tree = test::draft_of(both, std::vector<Token>{2, 3, 4, 5, 2, 3});
  EXPECT_EQ(tokens(tree), (std::vector<Token>{4, 5}));
  EXPECT_EQ(tree.origin(1).source, Source::kContext);
}

TEST_F(WithReferenceTest, CopiesFromTheReferenceWhereThatMatchesThreeTimesAsFar) {
  WithReference both = drafter({1, 2, 3, 9, 8, 7, 6});
  // Two tokens match in the text, or one.
  EXPECT_EQ(tokens(test::draft_of(both, std::vector<Token>{2, 3, 4, 5, 1, 2, 3})),
            (std::vector<Token>{4, 5}));
  const TokenTree tree = test::draft_of(both, std::vector<Token>{3, 4, 5, 1, 2, 3});
  EXPECT_EQ(tokens(tree), (std::vector<Token>{9, 8}));
  EXPECT_EQ(tree.origin(1).source, Source::kReference);
  EXPECT_EQ(tree.origin(1).position, Origin::kNone) << "it is no position of the text";
  ASSERT_EQ(tree.drafts().size(), 1u) << "the text's draft is replaced";
}

TEST_F(WithReferenceTest, CopiesFromTheReferenceWhereTheTextHasNothing) {
  WithReference both = drafter({1, 2, 3});
  EXPECT_EQ(tokens(test::draft_of(both, std::vector<Token>{1, 2})), (std::vector<Token>{3}));
}

TEST_F(WithReferenceTest, LooksUpNoShorterMatch) {
  WithReference both = drafter({1, 2, 3, 4, 5}, {3, 10});
  EXPECT_EQ(tokens(test::draft_of(both, std::vector<Token>{1, 2})), std::vector<Token>{});
  EXPECT_EQ(tokens(test::draft_of(both, std::vector<Token>{1, 2, 3})), (std::vector<Token>{4, 5}));
}

TEST_F(WithReferenceTest, LooksUpShorterMatchesWhileItsDraftsAreAccepted) {
  WithReference both = drafter({1, 2, 3, 4, 5, 6}, {4, 10});
  const auto drafts_after = [&](const std::vector<Token>& text) {
    return test::draft_of(both, text).num_drafted() > 0;
  };
  const auto round = [&](const std::vector<int>& accepted) {
    EXPECT_TRUE(drafts_after({1, 2, 3, 4}));
    both.verified(accepted, 5);
  };
  EXPECT_FALSE(drafts_after({2, 3, 4}));
  round({1});
  EXPECT_TRUE(drafts_after({2, 3, 4}));
  EXPECT_FALSE(drafts_after({3, 4}));
  both.verified({}, 5);  // a pass without a draft says nothing
  for (int i = 0; i < 3; ++i) round({1});
  EXPECT_TRUE(drafts_after({3, 4}));
  EXPECT_FALSE(drafts_after({4})) << "never a single token";
  for (int i = 0; i < 3; ++i) round({});
  EXPECT_FALSE(drafts_after({2, 3, 4})) << "as at first, and no longer";
  round({1});
  EXPECT_TRUE(drafts_after({2, 3, 4}));
  both.start({}, 0);
  EXPECT_FALSE(drafts_after({2, 3, 4})) << "another text";
}

TEST_F(WithReferenceTest, DraftsGetLongerWhileAllOfTheirTokensAreAccepted) {
  std::vector<Token> reference(60);
  std::iota(reference.begin(), reference.end(), 1);
  WithReference both = drafter(reference);
  const auto round = [&](int accepted) {
    const int drafted = test::draft_of(both, std::vector<Token>{1, 2, 3, 4}).num_drafted();
    std::vector<int> nodes(static_cast<std::size_t>(std::min(accepted, drafted)));
    std::iota(nodes.begin(), nodes.end(), 1);
    both.verified(nodes, 5);
    return drafted;
  };
  for (const int length : {2, 4, 8, 16, 16}) EXPECT_EQ(round(100), length);
  EXPECT_EQ(round(5), 16);
  EXPECT_EQ(round(0), 5);
  EXPECT_EQ(round(2), 2);
  EXPECT_EQ(round(0), 4);
  both.start({}, 0);
  EXPECT_EQ(round(0), 2);
}

// At the longest match that counts, the text is as good.
TEST_F(WithReferenceTest, ComparesMatchesUpToTheLongestThatCounts) {
  WithReference both = drafter({1, 2, 3, 9}, {2, 2});
  EXPECT_EQ(tokens(test::draft_of(both, std::vector<Token>{2, 3, 4, 1, 2, 3})),
            (std::vector<Token>{4, 1}));
}

TEST_F(WithReferenceTest, KeepsToTheTreesLimits) {
  WithReference both = drafter({1, 2, 3, 9, 8, 7, 6});
  const std::vector<Token> text = {3, 4, 5, 1, 2, 3};
  EXPECT_EQ(tokens(test::draft_of(both, text, 1)), (std::vector<Token>{9}));
  // All of what is in the tree.
  both.verified(std::vector{1}, 5);
  EXPECT_EQ(tokens(test::draft_of(both, text)), (std::vector<Token>{9, 8, 7, 6}));
}

TEST_F(WithReferenceTest, TellsTheCopierOfItsOwnDraftWhateverIsVerified) {
  WithReference both = drafter({1, 2, 3, 9, 8, 7, 6});
  test::draft_of(both, std::vector<Token>{3, 4, 5, 1, 2, 3});
  both.verified(std::vector{1, 2}, 5);
  EXPECT_EQ(copier_->last, (std::pair{0, 9})) << "the reference's token";
  test::draft_of(both, std::vector<Token>{2, 3, 4, 5, 2, 3});
  both.verified(std::vector{1}, 5);
  EXPECT_EQ(copier_->last, (std::pair{1, 5}));
  EXPECT_EQ(copier_->told, 2);
  EXPECT_EQ(both.start({}, 8), 7);
}

TEST_F(WithReferenceTest, IsTheCopierInAllElse) {
  WithReference both = drafter({1});
  EXPECT_EQ(both.name(), "pld");
  EXPECT_EQ(both.traits().wants.layers, (std::vector{1}));
  both.observe({}, {std::vector{0, 1}});
  EXPECT_EQ(copier_->rows_seen, 2);
  EXPECT_EQ(both.report(2).seconds.at(0).seconds, 2);
  EXPECT_EQ(both.report(0).counts.at(0).name, "told");
}

/// By rejection drafts need a distribution.
class ByRejection : public Pld {
 public:
  ByRejection() : Pld({}) {}
  DrafterTraits traits() const override { return {.verification = Verification::kRejection}; }
};

TEST_F(WithReferenceTest, IsOnlyForDraftersThatCopy) {
  const auto reference =
      std::make_shared<const ReferenceIndex>(std::vector<Token>{1, ReferenceIndex::kEnd});
  EXPECT_THROW(WithReference(std::make_unique<ByRejection>(), reference, {}), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
