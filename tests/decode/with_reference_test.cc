#include "runtime/draft/copy/with_reference.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld.h"
#include "runtime/draft/copy/pld_plus.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

class WithReferenceDecoding : public testing::Test {
 protected:
  DecodeResult decode(draft::Drafter* drafter, const sampling::SamplerOptions& options) {
    const int vocab = target_.engine.config().vocab;
    return decoder_.decode(prompt_, {options, vocab, 11}, drafter, {.max_new = 80});
  }
  static draft::WithReference drafter(bool by_states, std::vector<Token> reference) {
    std::unique_ptr<draft::Drafter> copier =
        std::make_unique<draft::Pld>(draft::PldOptions{.draft_length = 3});
    if (by_states)
      copier = std::make_unique<draft::PldPlusH>(
          draft::PldPlusHOptions{.layer = 1, .draft_length = 3, .threshold = 0.9});
    reference.push_back(draft::ReferenceIndex::kEnd);
    return {std::move(copier), std::make_shared<const draft::ReferenceIndex>(reference), {2, 10}};
  }
  static std::map<std::string, std::int64_t> counts(const DecodeResult& result) {
    std::map<std::string, std::int64_t> named;
    for (const draft::DrafterCount& one : result.stats.draft_counts) named[one.name] = one.count;
    return named;
  }

  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 2};
  Decoder decoder_{target_.engine, 400};
  // Of few words, so that copies are right now and then.
  std::vector<Token> prompt_ = test::random_tokens(60, 6, 4);
};

TEST_F(WithReferenceDecoding, ChangesNoToken) {
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{}, sampling::SamplerOptions{.temperature = 0.8},
        test::every_sampler_option()}) {
    const DecodeResult plain = decode(nullptr, options);
    // The answer itself, and one that is never right for long.
    const std::vector<Token> answer = plain.tokens;
    std::vector<Token> other = answer;
    for (std::size_t i = 4; i < other.size(); i += 5) other[i] = prompt_.front();
    for (const bool by_states : {false, true}) {
      draft::WithReference knowing = drafter(by_states, answer);
      const DecodeResult known = decode(&knowing, options);
      EXPECT_EQ(known.tokens, plain.tokens);
      draft::WithReference wrong = drafter(by_states, other);
      const DecodeResult misled = decode(&wrong, options);
      EXPECT_EQ(misled.tokens, plain.tokens);
      for (const DecodeResult* result : {&known, &misled}) {
        auto named = counts(*result);
        EXPECT_GT(named["reference_rounds"], 0);
        EXPECT_LE(named["reference_drafted"], result->stats.drafted);
        EXPECT_LE(named["reference_accepted"], result->stats.accepted);
      }
      // Of 80 tokens; the text's own matches, of which six different words give many, go first.
      EXPECT_GE(counts(known)["reference_accepted"], 25);
      EXPECT_LT(known.stats.passes, plain.stats.passes / 2);
      EXPECT_LT(counts(misled)["reference_accepted"], counts(misled)["reference_drafted"]);
      // Shown where the other origins are.
      const auto& rows = known.stats.rows.by_source;
      ASSERT_EQ(rows.count(draft::Source::kReference), 1u);
      EXPECT_GE(rows.at(draft::Source::kReference).accepted_tokens.at(0), 25);
    }
  }
}

}  // namespace
}  // namespace outrider::decode
