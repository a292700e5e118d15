// Where logits lie on a device, the target's choices after all rows of a draft are asked for at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/decode/decode_loop.h"
#include "runtime/decode/round.h"
#include "tests/decode/batch_jobs.h"

namespace outrider::decode {
namespace {

constexpr int kTextAndDrafts = 96;

/// A text, and how often a pass that drafts asked for choices.
struct AskedPasses {
  std::vector<Token> text;
  int most = 0;  // in a pass
  int rows = 0;  // at once, at most
};

class WholeDrafts : public testing::Test {
 protected:
  sampling::Sampler sampler(const sampling::SamplerOptions& options) const {
    return {options, tiny_.model.config.vocab, 5};
  }
  DecodeLimits limits() const { return {.max_new = 24}; }

  std::vector<Token> on_processor(const sampling::SamplerOptions& options) {
    Decoder decoder(tiny_.engine, kTextAndDrafts);
    return decoder.decode(prompt_, sampler(options), nullptr, limits()).tokens;
  }

  /// As Decoder does, with drafts that know the text.
  AskedPasses on_device(const sampling::SamplerOptions& options, const std::vector<Token>& text) {
    const auto device =
        engine::make_engine(tiny_.model, {.device = {engine::DeviceChoice::Kind::kCudaEmulated}});
    const auto chooser = sampling::make_chooser(*device);
    std::vector<Token> whole = prompt_;
    whole.insert(whole.end(), text.begin(), text.end());
    RandomDrafter drafter(whole, tiny_.model.config.vocab, 2);
    Sequence sequence(device->make_cache(kTextAndDrafts + draft::DrafterTraits::kUsualNodes),
                      kTextAndDrafts);
    sequence.begin(prompt_, sampler(options), limits());
    Round round(tiny_.model.config.vocab);
    const OnToken on_token;
    round.begin(sequence, &drafter, on_token);
    engine::Pass pass;
    std::vector<sampling::AskedRow> rows;
    AskedPasses asked;
    while (!sequence.finished()) {
      pass.sequences.clear();
      pass.rows.clear();
      const bool reads = round.unread() > 0;
      if (reads)
        round.read(pass, round.unread());
      else
        round.draft(pass, std::numeric_limits<int>::max());
      device->forward(pass);
      round.forwarded(pass);
      int times = 0;
      for (; round.asks(); ++times) {
        rows.clear();
        round.ask(pass, rows);
        chooser->answer(pass.logits, rows);
        round.answer(pass, rows);
        if (!reads) asked.rows = std::max(asked.rows, static_cast<int>(rows.size()));
      }
      if (!reads) asked.most = std::max(asked.most, times);
      round.end(pass);
    }
    asked.text.assign(sequence.answer().begin(), sequence.answer().end());
    return asked;
  }

  test::TinyEngine tiny_{model::WeightType::kQ8_0, 1, 1};
  std::vector<Token> prompt_ = {5, 40, 77, 40, 9};
};

TEST_F(WholeDrafts, AreAskedAboutOnceAndGiveTheProcessorsText) {
  for (const double temperature : {0.0, 1.0}) {
    const sampling::SamplerOptions options = {.temperature = temperature, .top_p = 0.95};
    const std::vector<Token> text = on_processor(options);
    const AskedPasses found = on_device(options, text);
    EXPECT_EQ(found.text, text);
    EXPECT_EQ(found.most, 1) << "temperature " << temperature;
    EXPECT_GT(found.rows, 3);
  }
}

/// Penalties count the tokens of a choice's own path.
TEST_F(WholeDrafts, AreFollowedRowByRowWhereChoicesDependOnThoseBefore) {
  const std::vector<Token> text = on_processor(kAllOptions);
  const AskedPasses found = on_device(kAllOptions, text);
  EXPECT_EQ(found.text, text);
  EXPECT_GT(found.most, 1);
  EXPECT_EQ(found.rows, 1);
}

}  // namespace
}  // namespace outrider::decode
