#include "runtime/methods/wrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/artifacts/acceptance_group.h"
#include "runtime/methods/ssd.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

/// Every method with drafters of its own, and the example of the page.
class WrapTest : public testing::Test {
 protected:
  std::vector<std::unique_ptr<Method>> drafting() const {
    std::vector<std::unique_ptr<Method>> all;
    for (const NewMethod make : test::with_repeat())
      if (auto method = target_.method(make); method->name() != "ar" && method->name() != "auto")
        all.push_back(std::move(method));
    return all;
  }
  /// Its parts, in the order in which they draft.
  static std::vector<std::string> parts(const draft::Drafter& drafter) {
    std::vector<std::string> names;
    for (const draft::DrafterSeconds& one : drafter.report(1).seconds) names.push_back(one.name);
    return names;
  }
  void expect_plain(std::unique_ptr<draft::Drafter> drafter, const std::string& name) {
    EXPECT_EQ(target_.answer(std::move(drafter), kAsked), plain_) << name;
  }

  static constexpr const char* kAsked = "abcabcabc";

  test::CalibratedTarget target_;
  const std::vector<Token> plain_ = target_.answer(nullptr, kAsked);
};

TEST_F(WrapTest, EveryMethodThatDraftsCopiesFirst) {
  for (const auto& method : drafting()) {
    auto expected = parts(*method->prepare(target_.for_methods()).new_drafter());
    ASSERT_NE(dynamic_cast<DraftingMethod*>(method.get()), nullptr) << method->name();
    dynamic_cast<DraftingMethod&>(*method).around.copy_first.on = true;
    EXPECT_TRUE(method->capabilities().copies) << method->name();
    const PreparedMethod prepared = method->prepare(target_.for_methods());
    EXPECT_EQ(prepared.record()["copy_first"], true);
    expected.insert(expected.begin(), "pld");
    EXPECT_EQ(parts(*prepared.new_drafter()), expected) << method->name();
    expect_plain(prepared.new_drafter(), method->name());
  }
}

TEST_F(WrapTest, EveryMethodThatDraftsPausesWhereItIsToAndCostsAreKnown) {
  const auto pauses = [](const PreparedMethod& prepared) {
    const auto counts = prepared.new_drafter()->report(0).counts;
    return std::any_of(counts.begin(), counts.end(),
                       [](const auto& one) { return one.name == "paused_rounds"; });
  };
  for (const auto& method : drafting()) {
    const MethodTarget priced = target_.priced(0.1, 0.05);
    const PreparedMethod without = method->prepare(priced);
    EXPECT_EQ(without.record()["guard"], "off");
    EXPECT_FALSE(pauses(without)) << method->name();
    fill_in(*method, "guard", "on");
    EXPECT_FALSE(pauses(method->prepare(target_.for_methods()))) << method->name();
    const PreparedMethod guarded = method->prepare(priced);
    EXPECT_TRUE(pauses(guarded)) << method->name();
    expect_plain(guarded.new_drafter(), method->name());
  }
}

TEST_F(WrapTest, EveryMethodThatDraftsCopiesFromAReference) {
  test::TemporaryFolder folder;
  const std::string file = (folder.path() / "a.txt").string();
  std::ofstream(file) << "abcdefghijklmnopqrstuvwxyz";
  for (const auto& method : drafting()) {
    fill_in(*method, "reference", std::vector<std::string>{file});
    auto& around = dynamic_cast<DraftingMethod&>(*method).around;
    if (!method->capabilities().copies)
      test::expect_input_error(
          [&] { method->prepare(target_.for_methods()); },
          "--reference: only with --copy-first, since " + method->name() + " alone copies nothing");
    around.copy_first.on = true;
    const auto drafter = method->prepare(target_.for_methods()).new_drafter();
    const std::vector<Token> text = target_.target().tokenizer().encode("abcdefghij", false);
    drafter->start(text, 0);
    const auto tree = test::draft_of(*drafter, text);
    ASSERT_GT(tree.num_drafted(), 0) << method->name();
    EXPECT_EQ(tree.origin(1).source, draft::Source::kReference) << method->name();
  }
}

TEST_F(WrapTest, TreesWithSourcesAreOfTheNodesThatWereAcceptedTheMost) {
  const auto method = target_.method("bigram");
  fill_in(*method, "sources", std::vector<std::string>{"pld"});
  const std::vector<Token> text = target_.target().tokenizer().encode("abcdabc", false);
  const auto draft_at = [&](const MethodTarget& target) {
    const auto drafter = method->prepare(target).new_drafter();
    drafter->start(text, 0);
    return test::draft_of(*drafter, text);
  };
  EXPECT_EQ(draft_at(target_.for_methods()).origin(1).source, draft::Source::kContext)
      << "nothing is known: the source comes first";

  const auto counted = [](std::int64_t of_context, std::int64_t of_bigram) {
    draft::AcceptanceTable table;
    table.add({.source = draft::Source::kContext, .offered = 10'000, .accepted = of_context});
    for (int rank = 0; rank < draft::AcceptanceTable::kRanks; ++rank)
      table.add({.source = draft::Source::kBigram,
                 .rank = rank,
                 .offered = 10'000,
                 .accepted = of_bigram});
    return table;
  };
  target_.write(artifacts::acceptance_group("bigram"), [&](hdf5::Writer& file,
                                                           const std::string& group) {
    artifacts::write_acceptance({{0, counted(200, 9'000)}, {1, counted(9'000, 200)}}, file, group);
  });
  EXPECT_EQ(draft_at(target_.for_methods(0.2)).origin(1).source, draft::Source::kBigram);
  EXPECT_EQ(draft_at(target_.for_methods(0.8)).origin(1).source, draft::Source::kContext);
  // Where the machine's costs are known, what is hardly ever accepted is left out.
  const draft::TokenTree paid = draft_at(target_.priced(0.3, 0.05, 1));
  ASSERT_GT(paid.num_drafted(), 0);
  for (int node = 1; node < paid.size(); ++node)
    EXPECT_EQ(paid.origin(node).source, draft::Source::kContext);
  expect_plain(method->prepare(target_.for_methods()).new_drafter(), "bigram");
  expect_plain(method->prepare(target_.priced(0.3, 0.05)).new_drafter(), "bigram, priced");
}

TEST_F(WrapTest, RefusesSpeedUpsOfNoCopies) {
  for (const auto& method : drafting()) {
    dynamic_cast<DraftingMethod&>(*method).around.copy_first.least_speed_up = 2;
    test::expect_input_error([&] { method->prepare(target_.for_methods()); },
                             "--copy-min-speed-up: only with --copy-first");
  }
}

TEST_F(WrapTest, PredictionsAreCopiedBeforeEverythingElse) {
  const std::vector<Token> prediction = {5, 6, 7, 8};
  const std::vector<Token> prompt = {1, 2, 3};
  for (const NewMethod make : test::with_repeat()) {
    const PreparedMethod prepared = target_.method(make)->prepare(target_.for_methods());
    const auto drafter = prepared.new_drafter(prediction, static_cast<int>(prompt.size()));
    EXPECT_EQ(parts(*drafter).front(), "prediction") << prepared.name();
    drafter->start(prompt, 0);
    const auto tree = test::draft_of(*drafter, prompt);
    ASSERT_EQ(tree.num_drafted(), 4) << prepared.name();
    for (int node = 1; node < tree.size(); ++node)
      EXPECT_EQ(tree.token(node), prediction[static_cast<std::size_t>(node - 1)]);
    expect_plain(prepared.new_drafter(plain_, 9), prepared.name());
  }
  Ssd drawn;
  drawn.settings.artifacts = target_.artifacts();
  drawn.settings.verify = "rejection";
  const PreparedMethod prepared = drawn.prepare(target_.for_methods());
  test::expect_input_error([&] { (void)prepared.new_drafter(prediction, 3); },
                           "prediction: not with verify \"rejection\"");
}

}  // namespace
}  // namespace outrider::methods
