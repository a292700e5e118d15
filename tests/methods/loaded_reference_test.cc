#include "runtime/methods/loaded_reference.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/decode/decode_loop.h"
#include "runtime/methods/pld.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::methods {
namespace {

class LoadedReferenceTest : public testing::Test {
 protected:
  LoadedReferenceTest() { std::ofstream(file_) << kText; }

  std::unique_ptr<Method> method(const std::string& name) const {
    auto method = target_.method(name);
    fill_in(*method, "reference", std::vector<std::string>{file_});
    return method;
  }
  MethodTarget telling() {
    return {target_.target().model(),
            target_.target().engine(),
            {},
            0,
            nullptr,
            {[this](const std::string& text) { told_.push_back(text); }, {}}};
  }
  /// Whether drafts are copied from the reference where its second part is the answer to the first.
  bool copies_from_it(const PreparedMethod& prepared) {
    const std::vector<Token> all = target_.target().tokenizer().encode(kText, false);
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    decode::Decoder decoder(target_.target().engine(), 256);
    const sampling::Sampler sampler({}, target_.target().model().config.vocab, 1);
    const auto drafter = prepared.new_drafter();
    const decode::DecodeResult result =
        decoder.decode({all.begin(), half}, sampler, drafter.get(),
                       {.max_new = static_cast<int>(all.end() - half), .given = {half, all.end()}});
    return !result.stats.rows.of(draft::Source::kReference).allotted.empty();
  }

  // No token twice, so that nothing can be copied from the text itself.
  static constexpr const char* kText = "abcdefghijklmnopqrstuvwxyz";

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
  EXPECT_EQ(told_[0].rfind("reference: 1 files, 26 bytes, ", 0), 0u) << told_[0];
  for (const PreparedMethod* prepared : {&lookup, &by_states})
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(copies_from_it(*prepared));
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_FALSE(copies_from_it(target_.method("pld")->prepare(target)));
}

TEST_F(LoadedReferenceTest, IsForEveryMethodThatCopies) {
  for (const NewMethod make : all_methods()) {
    const auto one = make();
    EXPECT_EQ(settings_record(*one).contains("reference"), one->name() != "ar") << one->name();
    if (!one->capabilities().copies) continue;
    EXPECT_TRUE(copies_from_it(method(one->name())->prepare(target_.for_methods()))) << one->name();
  }
}

TEST_F(LoadedReferenceTest, NeedsADrafterThatCopies) {
  test::expect_input_error([&] { method("ssd")->prepare(target_.for_methods()); },
                           "--reference: only with --copy-first");
  Pld published;
  published.settings.published = true;
  published.around.reference = {file_};
  test::expect_input_error([&] { published.prepare(target_.for_methods()); },
                           "--reference: not with --published");
  const auto missing = target_.method("pld");
  fill_in(*missing, "reference", std::vector<std::string>{file_ + "x"});
  test::expect_input_error([&] { missing->prepare(target_.for_methods()); },
                           "--reference: ", "a.txtx: No such file");
}

}  // namespace
}  // namespace outrider::methods
