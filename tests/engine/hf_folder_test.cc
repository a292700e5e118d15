// Hugging Face folders against transformers and tokenizers: golden/make_hf_folders.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/text/tokenizer.h"

namespace outrider::engine {
namespace {

using nlohmann::json;

const std::string kGolden = OUTRIDER_SOURCE_DIR "/tests/golden/";

json golden_folders() {
  std::ifstream file(kGolden + "hf_folders.json");
  return json::parse(file).at("folders");
}

class HfFolder : public testing::TestWithParam<std::size_t> {
 protected:
  HfFolder()
      : golden_(golden_folders().at(GetParam())),
        model_(model::load_model(kGolden + "hf/" + golden_.at("name").get<std::string>())) {}

  json golden_;
  model::Model model_;
};

TEST_P(HfFolder, TokenisesAsHuggingFaceDoes) {
  const text::Tokenizer tokenizer(model_.tokenizer);
  for (const json& text : golden_.at("texts")) {
    std::vector<Token> tokens = tokenizer.start();
    const auto content = text.at("text").get<std::string>();
    for (const Token token : tokenizer.encode(content, true)) tokens.push_back(token);
    EXPECT_EQ(tokens, text.at("tokens").get<std::vector<Token>>()) << content;
    if (!model_.tokenizer.nfc) {
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(content, true), true), content);
    }
  }
}

TEST_P(HfFolder, EndsWhereItsFilesSay) {
  const text::Tokenizer tokenizer(model_.tokenizer);
  EXPECT_TRUE(tokenizer.is_end(tokenizer.special("<|end|>")));
  EXPECT_TRUE(tokenizer.is_end(tokenizer.special("<tag>")));  // generation_config.json alone
  EXPECT_FALSE(tokenizer.is_end(tokenizer.special("<|start|>")));
}

TEST_P(HfFolder, HasTheLogitsAndTheGreedyTextOfTransformers) {
  Engine engine(model_, {.numerics = Numerics::kF32, .threads = 1});
  KvCache cache = engine.make_cache(200);
  const auto prompt = golden_.at("texts").at(0).at("tokens").get<std::vector<Token>>();
  Pass pass;
  pass.sequences = {&cache};
  pass.add_chain(0, prompt, true);
  engine.forward(pass);
  cache.commit_first(static_cast<int>(prompt.size()));
  const json& logits = golden_.at("logits");
  ASSERT_EQ(logits.size(), prompt.size());
  for (std::size_t row = 0; row < prompt.size(); ++row)
    for (std::size_t token = 0; token < static_cast<std::size_t>(pass.vocab); ++token)
      ASSERT_NEAR(pass.logits[row * pass.logits_stride + token], logits[row][token].get<float>(),
                  3e-5)
          << "row " << row << ", token " << token;

  std::vector<Token> greedy;
  std::size_t row = prompt.size() - 1;
  while (greedy.size() < golden_.at("greedy").size()) {
    const float* first = pass.logits.data() + row * pass.logits_stride;
    greedy.push_back(static_cast<Token>(std::max_element(first, first + pass.vocab) - first));
    pass.rows.clear();
    pass.add_chain(0, std::vector<Token>{greedy.back()}, true);
    engine.forward(pass);
    cache.commit_first(1);
    row = 0;
  }
  EXPECT_EQ(greedy, golden_.at("greedy").get<std::vector<Token>>());
}

INSTANTIATE_TEST_SUITE_P(
    , HfFolder, testing::Range(std::size_t{0}, golden_folders().size()), [](const auto& folder) {
      return golden_folders().at(folder.param).at("name").template get<std::string>();
    });

}  // namespace
}  // namespace outrider::engine
