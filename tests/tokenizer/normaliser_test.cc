#include "runtime/tokenizer/normaliser.h"

#include <gtest/gtest.h>

namespace outrider::text {
namespace {

using Kind = NormalStep::Kind;

std::string normal(std::vector<NormalStep> steps, std::string_view text) {
  std::string storage;
  return std::string(Normaliser(std::move(steps)).apply(text, storage));
}

TEST(Normaliser, AppliesItsStepsInOrder) {
  const NormalStep prepend{Kind::kPrepend, "", " "};
  const NormalStep mark{Kind::kReplace, " ", kSpaceMark};
  EXPECT_EQ(normal({prepend, mark}, "a b"), "▁a▁b");
  EXPECT_EQ(normal({mark, prepend}, "a b"), " a▁b");
  EXPECT_EQ(normal({{Kind::kFormC, "", ""}, mark}, "e\u0301 "), "\u00e9▁");
  EXPECT_EQ(normal({}, "a b"), "a b");
}

TEST(Normaliser, PrependsNothingToAnEmptyText) {
  EXPECT_EQ(normal({{Kind::kPrepend, "", " "}}, ""), "");
}

TEST(Normaliser, ReplacesFromLeftToRightOnce) {
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("aa", "a", "aa"), "aaaa");
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
  EXPECT_EQ(replace_all("", "x", "y"), "");
}

}  // namespace
}  // namespace outrider::text
