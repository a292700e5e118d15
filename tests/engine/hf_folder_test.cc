// Hugging Face folders against transformers and tokenizers: golden/make_hf_folders.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/identity.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/source_path.h"

namespace outrider::engine {
namespace {

using nlohmann::json;

const std::string kGolden = test::source_path("tests/golden/");

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
    if (model_.tokenizer.normaliser.empty()) {
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(content, true), true), content);
    }
  }
}

TEST_P(HfFolder, EndsWhereItsFilesSay) {
  const text::Tokenizer tokenizer(model_.tokenizer);
  const std::vector<Token>& ends = model_.tokenizer.end_tokens;
  const auto is_end = [&](const char* special) {
    return std::find(ends.begin(), ends.end(), tokenizer.special(special)) != ends.end();
  };
  EXPECT_TRUE(is_end("<|end|>"));
  EXPECT_TRUE(is_end("<tag>"));  // generation_config.json alone
  EXPECT_FALSE(is_end("<|start|>"));
}

TEST_P(HfFolder, HasTheLogitsAndTheGreedyTextOfTransformers) {
  const auto engine = make_engine(model_, {.numerics = Numerics::kF32, .threads = 1});
  const auto cache = engine->make_cache(200);
  const auto prompt = golden_.at("texts").at(0).at("tokens").get<std::vector<Token>>();
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, prompt, true);
  engine->forward(pass);
  cache->commit_first(static_cast<int>(prompt.size()));
  const json& logits = golden_.at("logits");
  const auto rows = golden_.at("logit_rows").get<std::vector<int>>();
  ASSERT_EQ(logits.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t token = 0; token < pass.logits.row(rows[i]).size(); ++token)
      ASSERT_NEAR(pass.logits.row(rows[i])[token], logits[i][token].get<float>(), 3e-5)
          << "row " << rows[i] << ", token " << token;

  std::vector<Token> greedy;
  int row = static_cast<int>(prompt.size()) - 1;
  while (greedy.size() < golden_.at("greedy").size()) {
    const auto all = pass.logits.row(row);
    greedy.push_back(static_cast<Token>(std::max_element(all.begin(), all.end()) - all.begin()));
    pass.rows.clear();
    pass.add_chain(0, std::vector<Token>{greedy.back()}, true);
    engine->forward(pass);
    cache->commit_first(1);
    row = 0;
  }
  EXPECT_EQ(greedy, golden_.at("greedy").get<std::vector<Token>>());
}

struct Windowed {
  const char* folder;
  int window;
};

class Window : public testing::TestWithParam<Windowed> {};

// Gemma's second layer has no window, its first a soft bound of scores.
TEST_P(Window, EndsWhatTapsHandOut) {
  constexpr int kRows = 12;
  const int window = GetParam().window;
  const model::Model model = model::load_model(kGolden + "hf/" + GetParam().folder);
  const auto engine = make_engine(model, {.threads = 1});
  const auto cache = engine->make_cache(kRows);
  const std::vector<Head> heads = {{model.config.windows[1] > 0 ? 2 : 1, 1}};
  Pass pass;
  pass.sequences = {cache.get()};
  pass.request = {.heads = heads, .best_keys = true};
  std::vector<Token> tokens;
  for (int i = 0; i < kRows; ++i) tokens.push_back(7 * i % 60 + 5);
  pass.add_chain(0, tokens, false);
  engine->forward(pass);
  cache->commit_first(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<int> path(row + 1);
    std::iota(path.begin(), path.end(), 0);
    std::vector<float> attention;
    pass.observed.attention(static_cast<int>(row), heads, path, attention);
    ASSERT_EQ(attention.size(), row + 1);
    const auto unseen = static_cast<std::size_t>(std::max(0, static_cast<int>(row) + 1 - window));
    float sum = 0;
    for (std::size_t i = 0; i <= row; ++i) {
      EXPECT_EQ(attention[i] > 0, i >= unseen) << "row " << row << ", position " << i;
      sum += attention[i];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    const auto most = std::max_element(attention.begin(), attention.end()) - attention.begin();
    EXPECT_EQ(pass.observed.best_key(static_cast<int>(row), heads[0]), most) << "row " << row;
  }
}

class LongContext : public testing::TestWithParam<const char*> {};

TEST_P(LongContext, RotatesEveryTokenAsTransformersDoesBeyondTheOriginalContext) {
  const json folders = golden_folders();
  const auto golden = std::find_if(folders.begin(), folders.end(), [](const json& folder) {
    return folder.at("name") == GetParam();
  });
  model::Model model = model::load_model(kGolden + "hf/" + GetParam());
  const int original = model.config.context;
  ASSERT_EQ(original, 128);
  const std::string short_hash = model::model_hash(model);
  model::extend_context(original, model);  // not beyond it
  EXPECT_EQ(model.config.context, original);
  EXPECT_EQ(model::model_hash(model), short_hash);
  model::extend_context(original + 1, model);
  EXPECT_GE(model.config.context, 512);
  EXPECT_NE(model::model_hash(model), short_hash);
  std::vector<Token> tokens;
  for (int i = 0; i < original + 3; ++i) tokens.push_back(i * 7 % 300 + 5);
  const auto engine = make_engine(model, {.numerics = Numerics::kF32, .threads = 1});
  const auto cache = engine->make_cache(original + 3);
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, tokens, true);
  engine->forward(pass);
  const std::vector<int> rows = {1, original + 2};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t token = 0; token < pass.logits.row(rows[i]).size(); ++token)
      ASSERT_NEAR(pass.logits.row(rows[i])[token], golden->at("beyond")[i][token].get<float>(),
                  3e-5)
          << "row " << rows[i] << ", token " << token;
}

INSTANTIATE_TEST_SUITE_P(, LongContext, testing::Values("phi3_longrope", "phi3_partial_longrope"),
                         [](const auto& of) { return std::string(of.param); });

TEST(Sinks, TakeTheirShareOfTheAttentionThatTapsHandOut) {
  const model::Model model = model::load_model(kGolden + "hf/gpt_oss");
  const auto engine = make_engine(model, {.numerics = Numerics::kF32, .threads = 1});
  const auto cache = engine->make_cache(1);
  const std::vector<Head> heads = {{2, 3}};
  Pass pass;
  pass.sequences = {cache.get()};
  pass.request = {.heads = heads};
  pass.add_chain(0, std::vector<Token>{7}, false);
  engine->forward(pass);
  cache->commit_first(1);
  const Softmax softmax = pass.observed.softmax(0, heads[0]);
  std::vector<float> sinks(4);
  model.layers[1].sinks.read_row(0, sinks.data());
  const float sink = sinks[3];
  std::vector<float> attention;
  pass.observed.attention(0, heads, std::vector<int>{0}, attention);
  // Of a text of one token: what the sink leaves of it.
  EXPECT_GE(softmax.largest, sink);
  EXPECT_NEAR(attention.at(0), 1 - std::exp(sink - softmax.largest) / softmax.total, 1e-6);
  EXPECT_LT(attention.at(0), 0.999f);
}

INSTANTIATE_TEST_SUITE_P(, Window,
                         testing::Values(Windowed{"mistral_window", 5}, Windowed{"gemma2", 6}),
                         [](const auto& of) { return std::string(of.param.folder); });

INSTANTIATE_TEST_SUITE_P(
    , HfFolder, testing::Range(std::size_t{0}, golden_folders().size()), [](const auto& folder) {
      return golden_folders().at(folder.param).at("name").template get<std::string>();
    });

}  // namespace
}  // namespace outrider::engine
