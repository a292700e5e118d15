#include "runtime/draft/copy/with_reference.h"

#include <gtest/gtest.h>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
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
  static draft::RowCounts of_reference(const DecodeResult& result) {
    return result.stats.rows.of(draft::Source::kReference);
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
        EXPECT_LE(of_reference(*result).drafted_tokens.at(0), result->stats.drafted);
        EXPECT_LE(of_reference(*result).accepted_tokens.at(0), result->stats.accepted);
      }
      // Of 80 tokens; the text's own matches, of which six different words give many, go first.
      EXPECT_GE(of_reference(known).accepted_tokens.at(0), 25);
      EXPECT_LT(known.stats.passes, plain.stats.passes / 2);
      EXPECT_LT(of_reference(misled).accepted_tokens.at(0),
                of_reference(misled).drafted_tokens.at(0));
    }
  }
}

}  // namespace
}  // namespace outrider::decode
