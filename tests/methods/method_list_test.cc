#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "runtime/methods/list.h"
#include "runtime/methods/shared_settings.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

/// Each setting as one text.
class Describer : public SettingVisitor {
 public:
  void whole(const Setting& setting, WholeRange range, int& value) override {
    add(setting, fmt::format("{} to {}: {}", range.low, range.high, value));
  }
  void whole(const Setting& setting, WholeRange range, std::optional<int>& value) override {
    add(setting, fmt::format("{} to {}, {}", range.low, range.high, value.value_or(-1)));
  }
  void real(const Setting& setting, RealRange range, std::optional<double>& value) override {
    add(setting, fmt::format("{} to {}, {}", range.low, range.high, value.value_or(-1)));
  }
  void flag(const Setting& setting, bool& value) override { add(setting, value ? "on" : "off"); }
  void text(const Setting& setting, const std::vector<std::string>& names,
            std::string& value) override {
    add(setting, fmt::format("{}, {}", fmt::join(names, " "), value));
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    add(setting, fmt::format("{}", fmt::join(values, " ")));
  }

  std::map<std::string, std::string> settings;

 private:
  void add(const Setting& setting, const std::string& rest) {
    settings[setting.name] = fmt::format("{} [{}] {}", setting.help, setting.value_name, rest);
  }
};

TEST(MethodList, HasEachNameOnceAndSaysWhatItIs) {
  std::set<std::string> names;
  for (const NewMethod make : test::with_repeat()) {
    EXPECT_TRUE(names.insert(make()->name()).second) << make()->name();
    EXPECT_NE(make()->summary(), "");
  }
  EXPECT_EQ(new_method("pld")->name(), "pld");
  test::expect_input_error([] { new_method("ngramys"); }, "expected auto, ar, pld, ",
                           "found 'ngramys'", "did you mean ngrammys");
}

// They are one flag.
TEST(MethodList, SettingsOfOneNameAreTheSameInAllMethods) {
  std::map<std::string, std::string> all;
  for (const NewMethod make : test::with_repeat()) {
    Describer described;
    make()->visit(described);
    for (const auto& [name, text] : described.settings)
      EXPECT_EQ(all.try_emplace(name, text).first->second, text) << make()->name() << " " << name;
  }
  EXPECT_EQ(all.count("draft-length"), 1u);
}

TEST(MethodList, OnlyPlainDecodingHasNoDrafter) {
  test::CalibratedTarget target;
  for (const NewMethod make : test::with_repeat()) {
    const PreparedMethod prepared = target.method(make)->prepare(target.for_methods());
    EXPECT_EQ(prepared.new_drafter() == nullptr, prepared.name() == "ar") << prepared.name();
  }
}

TEST(MethodList, RecordsHoldEverySettingWithTheValueUsed) {
  test::CalibratedTarget target;
  for (const NewMethod make : test::with_repeat()) {
    const auto method = target.method(make);
    const PreparedMethod prepared = method->prepare(target.for_methods());
    if (prepared.name() != method->name()) continue;  // records are of the method that drafts
    const auto& record = prepared.record();
    const auto settings = settings_record(*method);
    for (const auto& setting : settings.items()) {
      const std::string& name = setting.key();
      ASSERT_TRUE(record.contains(name)) << method->name() << " " << name;
      EXPECT_FALSE(record[name].is_null()) << method->name() << " " << name;
    }
  }
}

TEST(MethodList, CapabilitiesAreThoseOfTheSettings) {
  for (const NewMethod make : test::with_repeat()) {
    const auto settings = settings_record(*make());
    EXPECT_EQ(make()->capabilities().drafts_in_grids,
              settings.contains("drafts") && settings.contains("draft_length"))
        << make()->name();
  }
}

TEST(MethodList, CopiesAreWholeWhereTheSettingsDoNotSay) {
  test::CalibratedTarget target;
  // As the method drafts with it; one that chooses another hands its settings on.
  const auto value = [&](Method& method, const char* setting) {
    const PreparedMethod prepared = method.prepare(target.for_methods());
    return prepared.name() == method.name() ? prepared.record()[setting]
                                            : settings_record(method)[setting];
  };
  for (const NewMethod make : test::with_repeat()) {
    const auto whole = target.method(make), given = target.method(make);
    if (!whole->capabilities().copies) continue;
    whole->copy_whole();
    EXPECT_EQ(value(*whole, "draft_length"), kDraftLength) << whole->name();
    fill_in(*given, "draft-length", 3);
    const bool has_threshold = fill_in(*given, "threshold", 0.5);
    given->copy_whole();
    EXPECT_EQ(value(*given, "draft_length"), 3) << given->name();
    if (!has_threshold) continue;
    EXPECT_EQ(value(*whole, "threshold"), -1) << whole->name();
    EXPECT_EQ(value(*given, "threshold"), 0.5) << given->name();
  }
}

TEST(MethodList, DraftsAreAsLongAsTheMethodSays) {
  test::CalibratedTarget target;
  const MethodTarget of_target = target.for_methods();
  std::set<std::string> limited;
  for (const NewMethod make : test::with_repeat()) {
    const auto longest = target.method(make), longer = target.method(make);
    const int most = longest->longest_draft(of_target);
    if (!fill_in(*longest, "draft-length", most)) continue;
    EXPECT_NO_THROW(longest->prepare(of_target)) << longest->name();
    if (most == kMostDraftLength) continue;
    limited.insert(longest->name());
    fill_in(*longer, "draft-length", most + 1);
    test::expect_input_error([&] { longer->prepare(of_target); }, "--draft-length: expected 1 to ");
  }
  EXPECT_EQ(limited, (std::set<std::string>{"parallelspec-eagle", "parallelspec-medusa", "eagle-ar",
                                            "medusa-heads"}));
}

TEST(Settings, AreFilledInWhereTheyHaveNoValue) {
  const auto method = new_method("pld-plus-h");
  EXPECT_TRUE(fill_in(*method, "threshold", 0.5));
  EXPECT_TRUE(fill_in(*method, "threshold", 0.75));
  EXPECT_TRUE(fill_in(*method, "artifacts", std::string("a.h5")));
  EXPECT_FALSE(fill_in(*method, "drafts", 3));
  EXPECT_FALSE(fill_in(*method, "threshold", 1)) << "a number of another type";
  EXPECT_EQ(settings_record(*method)["threshold"], 0.5);
  EXPECT_EQ(settings_record(*method)["artifacts"], "a.h5");
  EXPECT_TRUE(settings_record(*method)["layer"].is_null());
}

}  // namespace
}  // namespace outrider::methods
