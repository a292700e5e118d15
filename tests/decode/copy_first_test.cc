#include "runtime/draft/copy_first.h"

#include <gtest/gtest.h>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/support/results_of.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

class CopyFirstDecoding : public testing::Test {
 protected:
  std::unique_ptr<draft::Drafter> copier(bool by_states) const {
    if (by_states)
      return std::make_unique<draft::PldPlusH>(
          draft::PldPlusHOptions{.layer = 1, .draft_length = 3, .threshold = 0.9});
    return std::make_unique<draft::Pld>(draft::PldOptions{.draft_length = 3, .shortest = 2});
  }
  draft::CopyFirst drafter(engine::Engine& engine, bool by_states) const {
    // Not its own: the tests keep the engines.
    const std::shared_ptr<engine::Engine> shared(&engine, [](engine::Engine*) {});
    return {copier(by_states),
            std::make_unique<draft::ModelDrafter>(
                shared, draft::make_stop_policy({"static", 4, 0}),
                draft::ModelDrafterOptions{.longest = 4, .target_vocab = vocab()})};
  }
  DecodeResult decode(draft::Drafter* drafter, const sampling::SamplerOptions& options,
                      const std::vector<Token>& text) {
    return decoder_.decode(text, {options, vocab(), 11}, drafter, {.max_new = 80});
  }

  int vocab() const { return target_.engine.config().vocab; }

  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 2};
  test::TinyEngine other_{model::WeightType::kQ4_1, 2, 2};
  Decoder decoder_{target_.engine, 400};
  // Of few words, so that copies are right now and then.
  std::vector<Token> prompt_ = test::random_tokens(60, 6, 4);
};

TEST_F(CopyFirstDecoding, ChangesNoToken) {
  std::int64_t copied = 0, drawn = 0;
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{}, sampling::SamplerOptions{.temperature = 0.8},
        test::every_sampler_option()}) {
    const DecodeResult plain = decode(nullptr, options, prompt_);
    for (const bool by_states : {false, true}) {
      for (engine::Engine* engine : {&target_.engine, &other_.engine}) {
        draft::CopyFirst both = drafter(*engine, by_states);
        const DecodeResult drafted = decode(&both, options, prompt_);
        EXPECT_EQ(drafted.tokens, plain.tokens);
        const auto copies = test::results_of(drafted, by_states ? "pld-plus-h" : "pld");
        const auto draws = test::results_of(drafted, "ssd");
        copied += copies.drafted;
        drawn += draws.drafted;
        EXPECT_EQ(copies.drafted + draws.drafted, drafted.stats.drafted);
        EXPECT_EQ(copies.accepted + draws.accepted, drafted.stats.accepted);
        // After copies too, a model equal to the target draws its choices.
        if (engine == &target_.engine) {
          EXPECT_EQ(draws.accepted, draws.drafted);
        }
      }
    }
  }
  EXPECT_GT(copied, 30);
  EXPECT_GT(drawn, 30);
}

TEST_F(CopyFirstDecoding, GoesOnFromTurnToTurn) {
  for (const bool by_states : {false, true}) {
    draft::CopyFirst both = drafter(target_.engine, by_states);
    std::vector<Token> text = prompt_;
    for (int turn = 0; turn < 3; ++turn) {
      const DecodeResult drafted = decode(&both, {}, text);
      Decoder anew(target_.engine, 400);
      const DecodeResult plain = anew.decode(text, {{}, vocab(), 11}, nullptr, {.max_new = 80});
      EXPECT_EQ(drafted.tokens, plain.tokens);
      text.insert(text.end(), drafted.tokens.begin(), drafted.tokens.end() - 7);
      text.push_back(static_cast<Token>(turn));
    }
  }
}

}  // namespace
}  // namespace outrider::decode
