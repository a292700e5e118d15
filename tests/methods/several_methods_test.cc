#include <gtest/gtest.h>

#include "runtime/methods/ngrammys.h"
#include "runtime/methods/pld.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"
#include "tests/support/draft_of.h"

namespace outrider::methods {
namespace {

const std::vector<Token> kRepeating = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};

TEST(SeveralMethods, OfOneKindHaveTheirOwnSettings) {
  test::CalibratedTarget target;
  Pld shorter, longer;
  shorter.settings.draft_length = 2;
  longer.settings.draft_length = 5;
  longer.settings.ngram = 1;
  const PreparedMethod one = shorter.prepare(target.for_methods());
  const PreparedMethod other = longer.prepare(target.for_methods());
  const auto drafter = one.new_drafter();
  EXPECT_EQ(test::draft_of(*drafter, kRepeating).num_drafted(), 2);
  EXPECT_EQ(test::draft_of(*other.new_drafter(), kRepeating).num_drafted(), 5);
  EXPECT_EQ(test::draft_of(*drafter, kRepeating).num_drafted(), 2);
  EXPECT_EQ(one.record()["draft_length"], 2);
  EXPECT_EQ(other.record()["draft_length"], 5);
  EXPECT_EQ(other.record()["ngram"], 1);
}

TEST(SeveralMethods, ArePreparedOnceAndGiveADrafterToEachSequence) {
  test::CalibratedTarget target;
  const auto method = new_method("context-ngram");
  fill_in(*method, "draft-length", 2);
  const PreparedMethod prepared = method->prepare(target.for_methods());
  const auto one = prepared.new_drafter();
  const auto other = prepared.new_drafter();
  EXPECT_GT(test::draft_of(*one, kRepeating).num_drafted(), 0);
  // The state of one does not reach the other.
  EXPECT_EQ(test::draft_of(*other, std::vector<Token>{4, 3}).num_drafted(), 0);
}

TEST(SeveralMethods, ShareWhatTheyLoad) {
  test::CalibratedTarget target;
  const MethodTarget of_target = target.for_methods();
  int loads = 0;
  const auto load = [&] { return ++loads; };
  auto first = of_target.load_once<int>("a", load);
  EXPECT_EQ(of_target.load_once<int>("a", load), first);
  EXPECT_EQ(*of_target.load_once<int>("b", load), 2);
  EXPECT_EQ(*of_target.load_once<double>("a", [] { return 0.5; }), 0.5);
  first.reset();
  EXPECT_EQ(*of_target.load_once<int>("a", load), 3) << "nothing used it any more";
}

TEST(SeveralMethods, TakeTurnsOnOneTargetAndGiveTheTextOfPlainDecoding) {
  test::CalibratedTarget target;
  std::vector<PreparedMethod> all;
  for (const NewMethod make : test::with_repeat())
    all.push_back(target.method(make)->prepare(target.for_methods()));
  Ngrammys narrow;
  narrow.settings.artifacts = target.artifacts();
  narrow.settings.drafts = 1;
  all.push_back(narrow.prepare(target.for_methods()));
  for (const std::string message : {"abcabcabc", "the cat the cat"}) {
    const std::vector<Token> plain = target.answer(nullptr, message);
    EXPECT_EQ(plain.size(), 24u);
    for (const PreparedMethod& method : all)
      EXPECT_EQ(target.answer(method.new_drafter(), message), plain) << method.name();
  }
}

}  // namespace
}  // namespace outrider::methods
