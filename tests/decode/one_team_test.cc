#include <gtest/gtest.h>

#include "runtime/decode/decode_loop.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

/// Two models decode in turns, a few tokens at a time, on the threads of one of them.
TEST(OneTeam, EnginesInTurnsDecodeWhatEachDecodesAlone) {
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 3);
  const auto bytes = test::tiny_llama_gguf(
      {.layers = 1, .width = 32, .heads = 1, .kv_heads = 1, .head_width = 32, .ffn_width = 64}, 2,
      model::WeightType::kQ8_0);
  const model::Model small = model::parse_model(bytes, "small");
  const auto draft = target.engine.beside(small, {});
  const auto alone = engine::make_engine(small, {.threads = 1});

  const auto text = test::random_tokens(30, small.config.vocab, 5);
  const auto decode_turns = [&](const std::vector<engine::Engine*>& engines) {
    std::vector<std::unique_ptr<Decoder>> decoders;
    std::vector<std::vector<Token>> texts(engines.size(), text);
    for (engine::Engine* one : engines) decoders.push_back(std::make_unique<Decoder>(*one, 200));
    sampling::Sampler sampler({.temperature = 0.8}, small.config.vocab, 7);
    for (int turn = 0; turn < 12; ++turn) {
      for (std::size_t i = 0; i < engines.size(); ++i) {
        const auto more = decoders[i]->decode(texts[i], sampler, nullptr, {.max_new = 5}).tokens;
        texts[i].insert(texts[i].end(), more.begin(), more.end());
      }
    }
    return texts;
  };
  const auto together = decode_turns({&target.engine, draft.get()});
  EXPECT_EQ(together[0], decode_turns({target.engine.with_workers(1).get()})[0]);
  EXPECT_EQ(together[1], decode_turns({alone.get()})[0]);
  EXPECT_NE(together[0], together[1]);
}

}  // namespace
}  // namespace outrider::decode
