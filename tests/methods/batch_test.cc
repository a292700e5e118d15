#include "runtime/decode/batch.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "tests/methods/by_rejection.h"
#include "tests/methods/calibrated_target.h"
#include "tests/methods/with_repeat.h"

namespace outrider::methods {
namespace {

constexpr int kMaxNew = 12;
constexpr std::size_t kTexts = 16;

/// Keeps what it is told.
class Ear : public decode::SequenceListener {
 public:
  bool take(Token, const draft::Origin&, const sampling::RowScores*) override { return true; }
  void end(decode::DecodeResult of_text) override { result = std::move(of_text); }

  std::optional<decode::DecodeResult> result;
};

/// The texts of a method, alone and with others in the same passes.
class Texts {
 public:
  Texts(test::CalibratedTarget& target, double temperature) : target_(target.target()) {
    sampler_.temperature = temperature;
    const std::vector<std::string> messages = {"abcabcabc", "the cat the cat", "a",
                                               "one two one two one two one"};
    for (std::size_t i = 0; i < kTexts; ++i)
      prompts_.push_back(inference::Dialogue(target_).ask(messages[i % messages.size()] +
                                                          std::string(i / 8, 'x')));
  }

  decode::DecodeResult alone(const PreparedMethod& method, std::size_t i) {
    decode::Decoder decoder(target_.engine(), kContext);
    const auto drafter = method.new_drafter();
    return decoder.decode(prompts_[i], sampler(i), drafter.get(), {.max_new = kMaxNew});
  }

  /// @param share  empty: every sequence drafts as if it were alone
  /// @param name   of the drafters, which then take over what one like them saw; empty: they do not
  std::vector<decode::DecodeResult> together(const PreparedMethod& method, std::size_t sequences,
                                             decode::ShareRows share = {},
                                             const std::string& name = "drafts") {
    if (!share) share = [](std::span<decode::RowShare>, int) {};
    decode::Batch batch(target_.engine(),
                        {.prompt_rows = 5, .kept_bytes = 100 << 20, .share = std::move(share)});
    std::vector<Ear> ears(sequences);
    for (std::size_t i = 0; i < sequences; ++i) {
      batch.add({.text = prompts_[i],
                 .sampler = sampler(i),
                 .limits = {.max_new = kMaxNew},
                 .context = kContext,
                 .new_drafter = [&] { return method.new_drafter(); },
                 .drafter_name = name},
                ears[i]);
      if (i % 3 == 0) batch.step();  // so that some join late
    }
    while (batch.step()) {
    }
    taken_over_ = batch.stats().shared_rows + batch.stats().kept_rows;
    std::vector<decode::DecodeResult> results;
    for (Ear& ear : ears) results.push_back(std::move(ear.result.value()));
    return results;
  }
  /// Rows of prompts that were not forwarded the last time.
  std::int64_t taken_over() const { return taken_over_; }

 private:
  static constexpr int kContext = 256;

  sampling::Sampler sampler(std::size_t i) const {
    return {sampler_, target_.model().config.vocab, 7 * i};
  }

  inference::Target& target_;
  sampling::SamplerOptions sampler_;
  std::vector<std::vector<Token>> prompts_;
  std::int64_t taken_over_ = 0;
};

/// Returns how many tokens were drafted.
std::int64_t expect_as_alone(test::CalibratedTarget& target, const Method& method,
                             std::size_t sequences, double temperature) {
  Texts texts(target, temperature);
  const PreparedMethod prepared = method.prepare(target.for_methods(temperature));
  const auto found = texts.together(prepared, sequences);
  std::int64_t drafted = 0;
  for (std::size_t i = 0; i < sequences; ++i) {
    SCOPED_TRACE(testing::Message() << method.name() << " at temperature " << temperature
                                    << ": text " << i << " of " << sequences);
    const decode::DecodeResult expected = texts.alone(prepared, i);
    EXPECT_EQ(found[i].tokens, expected.tokens);
    EXPECT_EQ(found[i].stats.drafted, expected.stats.drafted);
    EXPECT_EQ(found[i].stats.accepted, expected.stats.accepted);
    EXPECT_EQ(found[i].stats.passes, expected.stats.passes);
    drafted += found[i].stats.drafted;
  }
  return drafted;
}

TEST(Batch, GivesEveryMethodsTextsAsAlone) {
  test::CalibratedTarget target;
  for (const NewMethod make : test::with_repeat()) {
    const auto method = target.method(make);
    // The random drafter is sure of no token.
    if (method->name() == "parallelspec-medusa") fill_in(*method, "draft-threshold", 0.0);
    const std::int64_t drafted = expect_as_alone(target, *method, 16, 0.0) +
                                 expect_as_alone(target, *method, 2, 0.8) +
                                 expect_as_alone(target, *method, 7, 1.0);
    EXPECT_EQ(drafted > 0, method->name() != "ar") << method->name();
  }
}

TEST(Batch, DraftersTakeOverWhatOthersLikeThemSawOfAPrompt) {
  test::CalibratedTarget target;
  Texts texts(target, 0);
  const PreparedMethod plain = new_method("ar")->prepare(target.for_methods(0));
  texts.together(plain, kTexts);
  const std::int64_t all = texts.taken_over();
  EXPECT_GT(all, 0);
  for (const char* name : {"pld-plus-h", "parallelspec-eagle"}) {
    const auto method = target.method(std::string(name));
    const PreparedMethod prepared = method->prepare(target.for_methods(0));
    texts.together(prepared, kTexts, {}, "");
    EXPECT_EQ(texts.taken_over(), 0) << name << " sees every row of a prompt";
    texts.together(prepared, kTexts);
    EXPECT_GE(texts.taken_over(), all * 9 / 10) << name;
  }
}

TEST(Batch, GivesTextsVerifiedByRejectionAsAlone) {
  test::CalibratedTarget target;
  for (const char* name : {"ssd", "tsd", "eagle-ar"}) {
    const auto method = target.method(std::string(name));
    EXPECT_TRUE(test::verify_by_rejection(*method));
    EXPECT_GT(expect_as_alone(target, *method, 7, 0.8), 0) << name;
  }
}

TEST(Batch, GivesEveryMethodsTextsHoweverRowsAreSharedOut) {
  test::CalibratedTarget target;
  Texts texts(target, 0.8);
  const PreparedMethod plain = new_method("ar")->prepare(target.for_methods(0.8));
  std::mt19937_64 random(5);
  const auto at_random = [&](std::span<decode::RowShare> sequences, int) {
    for (decode::RowShare& one : sequences)
      one.nodes = std::min(one.nodes, static_cast<int>(random() % 5));  // 0 too
  };
  std::vector<std::vector<Token>> expected;
  for (std::size_t i = 0; i < 7; ++i) expected.push_back(texts.alone(plain, i).tokens);
  for (const NewMethod make : test::with_repeat()) {
    const PreparedMethod method = target.method(make)->prepare(target.for_methods(0.8));
    const auto found = texts.together(method, 7, at_random);
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_EQ(found[i].tokens, expected[i]) << method.name() << " " << i;
  }
}

}  // namespace
}  // namespace outrider::methods
