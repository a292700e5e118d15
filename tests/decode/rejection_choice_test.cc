#include "runtime/decode/rejection_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/binomial_bound.h"

namespace outrider::decode {
namespace {

constexpr int kVocab = 6;
constexpr std::int64_t kPosition = 9;

/// Draws one token from its own logits.
class OneToken : public draft::Drafter {
 public:
  explicit OneToken(std::vector<float> logits) : logits_(std::move(logits)) {}

  std::string name() const override { return "one-token"; }
  void draft(const draft::DraftContext& context, draft::TokenTree& tree) override {
    choice_.distribute(context.sampling, logits_, q_);
    const double u =
        sampling::uniform(context.sampling.seed, kPosition, sampling::RandomUse::kDraft);
    tree.add(0, draw(q_, u));
  }
  draft::Verification verification() const override { return draft::Verification::kRejection; }
  const sampling::Distribution& drawn_from(int) const override { return q_; }

 private:
  std::vector<float> logits_;
  sampling::TokenChoice choice_{kVocab};
  sampling::Distribution q_;
};

const std::vector<float> kOfTarget = {0.5f, 2.0f, -1.0f, 1.2f, 0.3f, -0.5f};
const std::vector<float> kOfDraft = {1.5f, 0.2f, 0.4f, 1.0f, -2.0f, 0.9f};

TEST(RejectionChoice, HasTheTargetsDistributionAndAcceptsAsOftenAsTheyOverlap) {
  constexpr int kDraws = 200'000;
  for (const sampling::SamplerOptions& options : {sampling::SamplerOptions{.temperature = 1},
                                                  {.temperature = 0.7, .top_k = 4},
                                                  {.temperature = 1, .frequency_penalty = 1}}) {
    sampling::TokenCounts counts({});
    counts.add(1);
    sampling::Distribution p, q;
    sampling::TokenChoice(kVocab).distribute({options, 0, counts}, kOfTarget, p);
    sampling::TokenChoice(kVocab).distribute({options, 0, counts}, kOfDraft, q);
    double overlap = 0;
    for (Token v = 0; v < kVocab; ++v) overlap += std::min(p.of(v), q.of(v));

    OneToken drafter(kOfDraft);
    RejectionChoice choice(kVocab);
    std::vector<int> chosen(kVocab), last(kVocab);
    int accepted = 0;
    draft::TokenTree tree(0);
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const sampling::SequenceSampling sampling = {options, seed, counts};
      tree.restart(0);
      drafter.draft({{}, sampling}, tree);
      const Token token = choice.choose(sampling, kOfTarget, kPosition, tree, 0, drafter);
      ++chosen[static_cast<std::size_t>(token)];
      accepted += token == tree.token(1);
      const Token after = choice.choose(sampling, kOfTarget, kPosition + 1, tree, 1, drafter);
      ++last[static_cast<std::size_t>(after)];
    }
    for (Token v = 0; v < kVocab; ++v) {
      const double bound = test::binomial_bound(p.of(v), kDraws, 1e-10);
      const auto place = static_cast<std::size_t>(v);
      EXPECT_NEAR(static_cast<double>(chosen[place]) / kDraws, p.of(v), bound) << v;
      EXPECT_NEAR(static_cast<double>(last[place]) / kDraws, p.of(v), bound) << v;
    }
    EXPECT_NEAR(static_cast<double>(accepted) / kDraws, overlap,
                test::binomial_bound(overlap, kDraws, 1e-10));
  }
}

TEST(RejectionChoice, RefusesTrees) {
  OneToken drafter(kOfDraft);
  RejectionChoice choice(kVocab);
  draft::TokenTree tree(0);
  tree.add(0, 1);
  tree.add(0, 2);
  EXPECT_THROW(choice.choose(sampling::SequenceSampling::greedy(), kOfTarget, 1, tree, 0, drafter),
               std::logic_error);
}

}  // namespace
}  // namespace outrider::decode
