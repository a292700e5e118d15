// What the decode loop hands out of rows that the text does not keep.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "runtime/decode/decode_loop.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

/// Drafts trees at random over few tokens, and notes which nodes it observes.
class Noting : public draft::Drafter {
 public:
  explicit Noting(bool wants_rejected) : wants_rejected_(wants_rejected) {}

  std::string name() const override { return "noting"; }
  draft::DrafterTraits traits() const override {
    return {.wants = {.logits = true}, .wants_rejected = wants_rejected_};
  }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    rejected += static_cast<int>(rows.rejected.size());
    if (tree_.size() == 1 || !wants_rejected_) return;  // the prompt's
    for (const int row : rows.rejected) {
      EXPECT_EQ(pass.rows[static_cast<std::size_t>(row)].token, tree_.token(row));
      EXPECT_EQ(pass.logits_of(row).size(), static_cast<std::size_t>(pass.logits.width()));
    }
    EXPECT_EQ(rows.kept.front(), 0);
    std::vector<int> nodes(rows.rejected.begin(), rows.rejected.end());
    nodes.insert(nodes.end(), rows.kept.begin(), rows.kept.end());
    std::sort(nodes.begin(), nodes.end());
    std::vector<int> each(pass.rows.size());
    std::iota(each.begin(), each.end(), 0);
    EXPECT_EQ(nodes, each);
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    const draft::TokenTree made =
        test::random_tree(context.committed.back(), {.vocab = 3, .nodes = 9}, random_);
    std::vector<int> placed = {0};  // or the deepest node above that the limits allow
    for (int node = 1; node < made.size(); ++node) {
      const int parent = placed[static_cast<std::size_t>(made.parent(node))];
      placed.push_back(tree.add_chain(parent, std::vector<Token>{made.token(node)}));
    }
    tree_ = tree;
  }

  int rejected = 0;

 private:
  bool wants_rejected_;
  draft::TokenTree tree_ = draft::TokenTree(0);
  std::vector<int> nodes_;
  std::mt19937_64 random_{1};
};

TEST(RejectedRows, AreShownToDraftersThatWantThem) {
  test::TinyEngine target(model::WeightType::kF32, 5, 1);
  const auto prompt = test::random_tokens(20, target.engine.config().vocab, 3);
  const DecodeLimits limits = {.max_new = 60, .given = test::random_tokens(60, 3, 4)};
  for (const bool wants : {true, false}) {
    Noting drafter(wants);
    Decoder decoder(target.engine, 200);
    const sampling::Sampler sampler({}, target.engine.config().vocab, 1);
    const DecodeStats stats = decoder.decode(prompt, sampler, &drafter, limits).stats;
    EXPECT_GT(stats.drafted, 50);
    EXPECT_GT(stats.accepted, 10);
    EXPECT_EQ(drafter.rejected, wants ? stats.drafted - stats.accepted : 0);
  }
}

}  // namespace
}  // namespace outrider::decode
