#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/with_sources.h"
#include "runtime/methods/drafting_method.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"

namespace outrider::methods {
namespace {

constexpr const char* kPairMessage = "abcabcabc";

/// What a drafter drafted in a text, and what it was told of that.
struct Learned {
  int rounds = 0;
  int accepted = 0;   // of its own nodes, as it was told
  int of_others = 0;  // rounds in which the text went on as another's node
  int mistakes = 0;   // told of other nodes than those of its tree with the text's tokens
  std::vector<draft::DrafterCount> counts;
};

/// A drafter that is compared with the text: it has to be told of its tree's nodes along the text, all of them.
class Learning : public draft::ForwardingDrafter {
 public:
  Learning(std::unique_ptr<draft::Drafter> inner, Learned& learned)
      : ForwardingDrafter(std::move(inner)), learned_(learned) {}
  ~Learning() override { learned_.counts = report(0).counts; }

  int begin(const draft::TextStart& text) override {
    is_told_ = false;
    return ForwardingDrafter::begin(text);
  }

  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    compare(context.committed);
    ++learned_.rounds;
    ForwardingDrafter::fill(context, tree);
    tree_ = tree;
    drafted_after_ = context.committed.size();
  }

  void verified(std::span<const int> accepted, Token next) override {
    learned_.accepted += static_cast<int>(accepted.size());
    told_.assign(accepted.begin(), accepted.end());
    next_ = next;
    is_told_ = true;
    ForwardingDrafter::verified(accepted, next);
  }

 private:
  /// What it was told of the last draft with the text that came of it.
  void compare(std::span<const Token> text) {
    if (!std::exchange(is_told_, false)) return;
    const std::span<const Token> after = text.subspan(drafted_after_);
    std::vector<int> expected;
    int node = 0;
    std::size_t i = 0;
    for (; i + 1 < after.size(); ++i) {
      node = tree_.child(node, after[i]);
      if (node == draft::TokenTree::kNone) break;
      expected.push_back(node);
    }
    learned_.mistakes += told_ != expected || next_ != after[i];
    learned_.of_others += i + 1 < after.size();
  }

  Learned& learned_;
  draft::TokenTree tree_{0};
  std::size_t drafted_after_ = 0;
  std::vector<int> told_;
  Token next_ = 0;
  bool is_told_ = false;
};

// Texts are those of plain decoding, and each part learns of its own tree as if it were alone.
TEST(Pairs, EveryMethodLearnsBesideEveryOther) {
  test::CalibratedTarget target;
  const auto plain = target.answer(nullptr, kPairMessage);
  std::vector<PreparedMethod> all;
  for (const NewMethod make : test::with_repeat())
    if (const auto method = target.method(make); dynamic_cast<DraftingMethod*>(method.get()))
      all.push_back(method->prepare(target.for_methods()));
  ASSERT_GT(all.size(), 10u);
  int learned_through_others = 0;
  for (const PreparedMethod& source : all) {
    for (const PreparedMethod& method : all) {
      Learned learned_by_source, learned_by_method;
      std::vector<std::unique_ptr<draft::Drafter>> sources;
      sources.push_back(std::make_unique<Learning>(source.new_drafter(), learned_by_source));
      EXPECT_EQ(target.answer(std::make_unique<draft::WithSources>(
                                  std::move(sources), std::make_unique<Learning>(
                                                          method.new_drafter(), learned_by_method)),
                              kPairMessage),
                plain)
          << source.name() << " " << method.name();
      EXPECT_EQ(learned_by_source.mistakes + learned_by_method.mistakes, 0)
          << source.name() << " " << method.name();
      EXPECT_EQ(learned_by_source.rounds, learned_by_method.rounds) << "each of all rounds";
      learned_through_others += learned_by_source.of_others + learned_by_method.of_others;
      if (source.name() != method.name()) continue;
      // Both trees are the one that it drafts alone.
      Learned alone;
      EXPECT_EQ(
          target.answer(std::make_unique<Learning>(method.new_drafter(), alone), kPairMessage),
          plain);
      for (const Learned* one : {&learned_by_source, &learned_by_method}) {
        EXPECT_EQ(one->rounds, alone.rounds) << method.name();
        EXPECT_EQ(one->accepted, alone.accepted) << method.name();
        ASSERT_EQ(one->counts.size(), alone.counts.size());
        for (std::size_t i = 0; i < alone.counts.size(); ++i)
          EXPECT_EQ(one->counts[i].count, alone.counts[i].count)
              << method.name() << " " << alone.counts[i].name;
      }
    }
  }
  EXPECT_GT(learned_through_others, 100);
}

// So it does where the target is asked about the likeliest nodes of all.
TEST(Pairs, EveryMethodLearnsWhereNodesAreChosenByTheirChances) {
  test::CalibratedTarget target;
  const auto plain = target.answer(nullptr, kPairMessage);
  const PreparedMethod source = target.method("pld")->prepare(target.for_methods());
  const auto table = std::make_shared<draft::AcceptanceTable>();
  table->add({.source = draft::Source::kContext, .offered = 100, .accepted = 60});
  table->add({.source = draft::Source::kBigram, .offered = 100, .accepted = 30});
  int learned_through_others = 0;
  for (const NewMethod make : test::with_repeat()) {
    const auto method = target.method(make);
    if (dynamic_cast<DraftingMethod*>(method.get()) == nullptr) continue;
    const PreparedMethod prepared = method->prepare(target.for_methods());
    Learned learned_by_source, learned_by_method;
    std::vector<std::unique_ptr<draft::Drafter>> sources;
    sources.push_back(std::make_unique<Learning>(source.new_drafter(), learned_by_source));
    auto together = std::make_unique<draft::WithSources>(
        std::move(sources), std::make_unique<Learning>(prepared.new_drafter(), learned_by_method),
        6);
    together->set_acceptance(table);
    EXPECT_EQ(target.answer(std::move(together), kPairMessage), plain) << prepared.name();
    EXPECT_EQ(learned_by_source.mistakes, 0) << prepared.name();
    EXPECT_EQ(learned_by_source.rounds, learned_by_method.rounds) << prepared.name();
    learned_through_others += learned_by_source.of_others + learned_by_method.of_others;
  }
  EXPECT_GT(learned_through_others, 5);
}

}  // namespace
}  // namespace outrider::methods
