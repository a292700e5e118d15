// Where logits lie on a device, the target's choices after all rows of a draft are asked for at once, with penalties and where
// the answer has to follow a constraint too.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/decode/decode_loop.h"
#include "runtime/decode/round.h"
#include "tests/decode/batch_jobs.h"
#include "tests/decode/every_third.h"
#include "tests/draft/move_counting_engine.h"

namespace outrider::decode {
namespace {

constexpr int kTextAndDrafts = 96;

/// A text, and how often a pass that drafts asked for choices.
struct AskedPasses {
  std::vector<Token> text;
  int most = 0;   // in a pass
  int rows = 0;   // at once, at most
  int moved = 0;  // paths whose rows the device had moved when the choices were there
};

class WholeDrafts : public testing::Test {
 protected:
  sampling::Sampler sampler(const sampling::SamplerOptions& options) const {
    return {options, tiny_.model.config.vocab, 5};
  }

  std::vector<Token> on_processor(const sampling::SamplerOptions& options,
                                  const DecodeLimits& limits) {
    Decoder decoder(tiny_.engine, kTextAndDrafts);
    return decoder.decode(prompt_, sampler(options), nullptr, limits).tokens;
  }

  /// As Decoder does, with drafts that know the text.
  AskedPasses on_device(const sampling::SamplerOptions& options, const DecodeLimits& limits,
                        const std::vector<Token>& text) {
    const auto device =
        engine::make_engine(tiny_.model, {.device = {engine::DeviceChoice::Kind::kCudaEmulated}});
    const auto chooser = sampling::make_chooser(*device);
    std::vector<Token> whole = prompt_;
    whole.insert(whole.end(), text.begin(), text.end());
    RandomDrafter drafter(whole, tiny_.model.config.vocab, 2);
    Sequence sequence(device->make_cache(kTextAndDrafts + draft::DrafterTraits::kUsualNodes),
                      kTextAndDrafts);
    sequence.begin(prompt_, sampler(options), limits);
    Round round(tiny_.model.config.vocab);
    const OnToken on_token;
    round.begin(sequence, &drafter, on_token);
    engine::Pass pass;
    std::vector<sampling::AskedRow> rows;
    std::vector<engine::AskedDraft> drafts;
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
        drafts.clear();
        round.ask(*chooser, pass, rows, drafts);
        chooser->answer_drafts(pass.logits, rows, drafts);
        asked.moved += test::moves_rows(sequence.cache().moved()) ? 1 : 0;
        round.answer(pass, rows);
        if (!reads) asked.rows = std::max(asked.rows, static_cast<int>(rows.size()));
      }
      if (!reads) asked.most = std::max(asked.most, times);
      round.end(pass);
    }
    asked.text.assign(sequence.answer().begin(), sequence.answer().end());
    expect_the_processors_rows(sequence);
    return asked;
  }

  /// That keys and values are those of the text, read at once.
  void expect_the_processors_rows(Sequence& sequence) {
    const auto expected = tiny_.engine.make_cache(kTextAndDrafts);
    engine::Pass pass;
    pass.sequences = {expected.get()};
    pass.add_chain(0, sequence.held_tokens(), false);
    tiny_.engine.forward(pass);
    expected->commit_first(sequence.held());
    const engine::KvCache& found = sequence.cache();
    for (int layer = 0; layer < tiny_.model.config.layers; ++layer)
      for (int slot = 0; slot < sequence.held(); ++slot) {
        EXPECT_EQ(found.key_bytes(layer, slot), expected->key_bytes(layer, slot)) << slot;
        EXPECT_EQ(found.value_bytes(layer, slot), expected->value_bytes(layer, slot)) << slot;
      }
  }

  test::TinyEngine tiny_{model::WeightType::kQ8_0, 1, 1};
  std::vector<Token> prompt_ = {5, 40, 77, 40, 9};
};

TEST_F(WholeDrafts, AreAskedAboutOnceAndGiveTheProcessorsText) {
  const DecodeLimits anything = {.max_new = 24};
  const DecodeLimits every_third = {.max_new = 24, .end_tokens = {kEnd}, .new_constraint = [this] {
                                      return std::make_unique<EveryThird>(tiny_.model.config.vocab,
                                                                          21);
                                    }};
  for (const sampling::SamplerOptions& options : std::vector<sampling::SamplerOptions>{
           {}, {.temperature = 1, .top_p = 0.95}, {.frequency_penalty = 0.7}, kAllOptions})
    for (const DecodeLimits& limits : {anything, every_third}) {
      SCOPED_TRACE(testing::Message()
                   << "T " << options.temperature << ", frequency " << options.frequency_penalty
                   << ", end tokens " << limits.end_tokens.size());
      const std::vector<Token> text = on_processor(options, limits);
      const AskedPasses found = on_device(options, limits, text);
      EXPECT_EQ(found.text, text);
      EXPECT_EQ(found.most, 1);
      EXPECT_GT(found.rows, 3);
      EXPECT_GT(found.moved, 1) << "the device follows its choices itself";
    }
}

/// Texts that end early, and where a listener, a limit or the context ends them: of a path that was moved a part is kept.
TEST_F(WholeDrafts, AreFollowedByTheDeviceOneByOneAndInBatches) {
  const sampling::SamplerOptions options = {.temperature = 1};
  const std::vector<Job> all = jobs(tiny_.engine, 8, options);
  test::MoveCountingEngine device(
      engine::make_engine(tiny_.model, {.device = {engine::DeviceChoice::Kind::kCudaEmulated}}));
  const int vocab = tiny_.model.config.vocab;
  Batch batch(device);
  std::vector<Ear> ears(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) batch.add(request_of(all[i], vocab), ears[i]);
  while (batch.step()) {
  }
  const int in_batches = device.moved;
  EXPECT_GT(in_batches, 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DecodeResult expected = alone(tiny_.engine, all[i]);
    expect_same(*ears[i].result, expected);
    expect_same(alone(device, all[i]), expected);
  }
  EXPECT_GT(device.moved, in_batches + 1);
}

}  // namespace
}  // namespace outrider::decode
