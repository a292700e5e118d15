#include <gtest/gtest.h>

#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

using Logits = std::vector<float>;

constexpr int kText = 250;   // tokens before the tree
constexpr int kBranch = 20;  // rows of the branch, beyond the border of a split of attention

/// The logits of a branch's rows, decoded one by one.
std::vector<Logits> one_by_one(Engine& engine, std::vector<Token> text,
                               const std::vector<Token>& branch) {
  text.insert(text.end(), branch.begin(), branch.end());
  std::vector<Logits> found;
  forward_text(engine, text, {.rows = 1, .observed_from = kText, .logits_from = kText},
               [&](const Pass& pass, int) {
                 const auto logits = pass.logits_of(0);
                 found.emplace_back(logits.begin(), logits.end());
               });
  return found;
}

/// The same in one pass, after a sibling: no row's slot is its position.
std::vector<Logits> in_a_tree(Engine& engine, const std::vector<Token>& text,
                              const std::vector<Token>& branch) {
  const auto cache = engine.make_cache(kText + kBranch + 1);
  Pass pass;
  forward_text(engine, *cache, pass, text);
  pass.rows = {{.token = 3}};
  pass.add_chain(0, branch, true);
  pass.rows[1].parent = Row::kCommitted;
  engine.forward(pass);
  std::vector<Logits> found;
  for (int row = 1; row <= kBranch; ++row) {
    const auto logits = pass.logits_of(row);
    found.emplace_back(logits.begin(), logits.end());
  }
  return found;
}

// Rows of a tree whose windows begin among the tree's own rows, before and after the border of a split.
TEST(TreeWindows, CrossSplitsOfAttention) {
  const auto bytes = test::tiny_llama_gguf({}, 5, model::WeightType::kQ4_1);
  model::Model model = model::parse_model(bytes, "tiny");
  model.config.windows = {5, 9};
  const auto engine = make_engine(model, {.threads = 1});
  const auto text = test::random_tokens(kText, 100, 7);
  const auto branch = test::random_tokens(kBranch, 100, 8);
  const auto expected = one_by_one(*engine, text, branch);
  ASSERT_EQ(expected.size(), std::size_t{kBranch});
  for (const Variant& variant : engine->variants())
    EXPECT_EQ(in_a_tree(*variant.make(2), text, branch), expected) << variant.name;
}

}  // namespace
}  // namespace outrider::engine
