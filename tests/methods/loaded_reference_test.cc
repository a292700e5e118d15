#include "runtime/methods/loaded_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "runtime/methods/pld.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::methods {
namespace {

class LoadedReferenceTest : public testing::Test {
 protected:
  LoadedReferenceTest() { std::ofstream(file_) << "one two three one two three"; }

  std::unique_ptr<Method> method(const std::string& name) const {
    auto method = target_.method(name);
    fill_in(*method, "reference", std::vector<std::string>{file_});
    return method;
  }
  MethodTarget telling() {
    return {target_.target().model(), target_.target().engine(), 0, nullptr,
            [this](const std::string& notice) { told_.push_back(notice); }};
  }
  static std::set<std::string> counted(const PreparedMethod& prepared) {
    std::set<std::string> names;
    for (const draft::DrafterCount& one : prepared.new_drafter()->counts()) names.insert(one.name);
    return names;
  }

  test::CalibratedTarget target_;
  test::TemporaryFolder folder_;
  std::string file_ = (folder_.path() / "a.txt").string();
  std::vector<std::string> told_;
};

TEST_F(LoadedReferenceTest, IsIndexedOnceForAllDraftersOfATarget) {
  const MethodTarget target = telling();
  const PreparedMethod lookup = method("pld")->prepare(target);
  const PreparedMethod by_states = method("pld-plus-h")->prepare(target);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].rfind("reference: 1 files, 27 bytes, ", 0), 0u) << told_[0];
  for (const PreparedMethod* prepared : {&lookup, &by_states})
    for (int i = 0; i < 2; ++i) EXPECT_EQ(counted(*prepared).count("reference_rounds"), 1u);
  EXPECT_EQ(told_.size(), 1u);
  const PreparedMethod none = target_.method("pld")->prepare(target);
  EXPECT_EQ(counted(none).count("reference_rounds"), 0u);
}

TEST_F(LoadedReferenceTest, IsForEveryMethodThatCopies) {
  for (const NewMethod make : all_methods()) {
    const auto one = make();
    const auto names = setting_names(*one);
    const bool takes = std::find(names.begin(), names.end(), "reference") != names.end();
    const bool drafts_first = std::find(names.begin(), names.end(), "copy-first") != names.end();
    EXPECT_EQ(takes, one->capabilities().copies || drafts_first) << one->name();
    if (!takes || drafts_first) continue;
    EXPECT_EQ(
        counted(method(one->name())->prepare(target_.for_methods())).count("reference_rounds"), 1u)
        << one->name();
  }
}

TEST_F(LoadedReferenceTest, NeedsADrafterThatCopies) {
  test::expect_input_error([&] { method("ssd")->prepare(target_.for_methods()); },
                           "--reference: only with --copy-first");
  Pld published;
  published.settings.published = true;
  published.settings.reference = {file_};
  test::expect_input_error([&] { published.prepare(target_.for_methods()); },
                           "--reference: not with --published");
  const auto missing = target_.method("pld");
  fill_in(*missing, "reference", std::vector<std::string>{file_ + "x"});
  test::expect_input_error([&] { missing->prepare(target_.for_methods()); },
                           "--reference: ", "a.txtx: No such file");
}

}  // namespace
}  // namespace outrider::methods
