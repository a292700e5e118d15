#include "runtime/decode/rejection_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "runtime/draft/drawn_children.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/sampling/cpu_chooser.h"
#include "tests/support/binomial_bound.h"
#include "tests/support/logit_rows.h"

namespace outrider::decode {
namespace {

constexpr int kVocab = 6;
constexpr std::int64_t kPosition = 9;

/// Draws some tokens from its own logits, as children of the root.
class OneLevel : public draft::Drafter {
 public:
  OneLevel(const std::vector<float>& logits, int children) : children_(children) {
    test::leave_on_host({logits}, logits_);
  }

  std::string name() const override { return "one-level"; }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    drawn_.restart();
    drawn_.draw(chooser_, context.sampling, {&logits_, 0}, {0, children_, kPosition}, tokens_);
    // Added as a drafter may that has the likeliest first.
    order_.clear();
    for (std::size_t i = 0; i < tokens_.size(); ++i) order_.push_back(i);
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return tokens_[a].score > tokens_[b].score; });
    for (const std::size_t i : order_) tree.add(0, tokens_[i].token, {.rank = static_cast<int>(i)});
    drawn_.note_in(tree);
  }
  draft::DrafterTraits traits() const override {
    return {.verification = draft::Verification::kRejection};
  }

 private:
  engine::Logits logits_;
  int children_;
  sampling::CpuChooser chooser_{
      sampling::HeadVocabulary(kVocab), engine::cpu::kernels_for(engine::Isa::kAuto).score, {}};
  draft::DrawnChildren drawn_{draft::Verification::kRejection};
  std::vector<sampling::RankedToken> tokens_;
  std::vector<std::size_t> order_;
};

const std::vector<float> kOfTarget = {0.5f, 2.0f, -1.0f, 1.2f, 0.3f, -0.5f};
const std::vector<float> kOfDraft = {1.5f, 0.2f, 0.4f, 1.0f, -2.0f, 0.9f};

TEST(RejectionChoice, HasTheTargetsDistributionAndAcceptsAsOftenAsTheyOverlap) {
  constexpr int kDraws = 200'000;
  for (const int children : {1, 2, 4}) {
    for (const sampling::SamplerOptions& options : {sampling::SamplerOptions{.temperature = 1},
                                                    {.temperature = 0.7, .top_k = 4},
                                                    {.temperature = 1, .frequency_penalty = 1}}) {
      sampling::TokenCounts counts({});
      counts.add(1);
      sampling::Distribution p, q;
      sampling::TokenChoice(kVocab).distribute({options, 0, counts}, kOfTarget, p);
      sampling::TokenChoice(kVocab).distribute({options, 0, counts}, kOfDraft, q);

      OneLevel drafter(kOfDraft, children);
      RejectionChoice choice(kVocab);
      std::vector<int> chosen(kVocab), last(kVocab);
      int accepted = 0;
      draft::TokenTree tree(0);
      for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
        const sampling::SequenceSampling sampling = {options, seed, counts};
        tree.restart(0);
        drafter.draft({{}, sampling}, tree);
        const Token token = choice.choose(sampling, kOfTarget, kPosition, tree, 0);
        ++chosen[static_cast<std::size_t>(token)];
        const int child = tree.child(0, token);
        accepted += child != draft::TokenTree::kNone && tree.origin(child).rank == 0;
        const Token after = choice.choose(sampling, kOfTarget, kPosition + 1, tree, 1);
        ++last[static_cast<std::size_t>(after)];
      }
      for (Token v = 0; v < kVocab; ++v) {
        const double bound = test::binomial_bound(p.of(v), kDraws, 1e-10);
        const auto place = static_cast<std::size_t>(v);
        EXPECT_NEAR(static_cast<double>(chosen[place]) / kDraws, p.of(v), bound) << v;
        EXPECT_NEAR(static_cast<double>(last[place]) / kDraws, p.of(v), bound) << v;
      }
      const double overlap = mean_acceptance(p, q);
      EXPECT_NEAR(static_cast<double>(accepted) / kDraws, overlap,
                  test::binomial_bound(overlap, kDraws, 1e-10));
    }
  }
}

TEST(RejectionChoice, RefusesAChildThatWasNotDrawn) {
  OneLevel drafter(kOfDraft, 1);
  RejectionChoice choice(kVocab);
  draft::TokenTree tree(0);
  const sampling::SamplerOptions options = {.temperature = 1, .top_k = 1};
  const sampling::TokenCounts counts({});
  drafter.draft({{}, {options, 0, counts}}, tree);
  ASSERT_EQ(tree.token(1), 0);
  tree.restart(0);
  tree.add(0, 1);
  EXPECT_THROW(choice.choose({options, 0, counts}, kOfTarget, kPosition, tree, 0),
               std::logic_error);
}

}  // namespace
}  // namespace outrider::decode
