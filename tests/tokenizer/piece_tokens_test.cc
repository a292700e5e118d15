// Tokenizers of characters, against SentencePiece and Hugging Face (tests/golden/make_piece_tokens.py).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/base/text_file.h"
#include "runtime/model/huggingface/hf_tokenizer.h"
#include "runtime/model/model.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/piece_gguf.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/tokenizer/small_pieces.h"

namespace outrider::text {
namespace {

using nlohmann::json;

const json& golden() {
  static const json read =
      json::parse(read_text_file(test::source_path("tests/golden/piece_tokens.json"), 1 << 24));
  return read;
}

/// Expects the texts to encode to the tokens of `made`, and those to decode to its texts.
void expect_as(const json& made, const json& texts, const Tokenizer& tokenizer) {
  ASSERT_EQ(texts.size(), made["tokens"].size());
  EXPECT_GE(texts.size(), 100u);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto text = texts[i].get<std::string>();
    std::istringstream written(made["tokens"][i].get<std::string>());
    const std::vector<Token> expected(std::istream_iterator<Token>(written), {});
    EXPECT_EQ(tokenizer.encode(text, true), expected) << texts[i];
    // Without an entry, decoding gives the original text.
    EXPECT_EQ(tokenizer.decode(expected, true), made["decoded"].value(std::to_string(i), text))
        << texts[i];
  }
}

/// The tokenizer of a GGUF file without weights.
TokenizerSpec loaded(const test::GgufWriter& file) {
  const auto bytes = file.bytes();
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "vocabulary.gguf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return model::load_tokenizer(path);
}

TEST(PieceTokens, OfAGgufVocabularyAreSentencePieces) {
  TokenizerSpec spec;
  for (const json& piece : golden()["pieces"]) {
    spec.tokens.push_back(piece[0]);
    spec.scores.push_back(piece[1]);
    spec.kinds.push_back(static_cast<TokenKind>(piece[2].get<int>() - 1));
  }
  spec.dropped_spaces = 1;
  test::GgufWriter file;
  test::set_pieces(file, spec);
  const TokenizerSpec read = loaded(file);
  EXPECT_EQ(read.end_tokens, std::vector<Token>{2});
  const Tokenizer tokenizer(read);
  EXPECT_EQ(tokenizer.start(), std::vector<Token>{1});
  expect_as(golden()["sentencepiece"], golden()["plain"], tokenizer);
}

TEST(PieceTokens, OfPhi3IncludeTheWhiteSpaceAfterThem) {
  TokenizerSpec spec = test::small_pieces({{"\u2581", -9}, {"a", -8}, {"<|end|>", 0}});
  const Token end = test::kFirstPiece + 2;
  spec.kinds[static_cast<std::size_t>(end)] = TokenKind::kControl;
  test::GgufWriter file;
  test::set_pieces(file, spec);
  const auto encoded = [&](const char* name) {
    file.set("general.name", name);
    return Tokenizer(loaded(file)).encode("<|end|> \n<s> ", true);
  };
  const Token space = test::kFirstPiece;
  EXPECT_EQ(encoded("Phi-3 mini"), (std::vector<Token>{end, 1, space, space}));
  EXPECT_EQ(encoded("Llama"),
            (std::vector<Token>{end, space, space, test::byte_id('\n'), 1, space, space}));
}

/// As of Mistral's folders, whose tokenizer puts a space before the first word only.
TEST(PieceTokens, HaveASpaceBeforeTheFirstWordOnlyWhereTurnsHaveTokens) {
  const auto encoded = [](TokenKind kind, const char* text) {
    TokenizerSpec spec = test::small_pieces(
        {{"\u2581", -9}, {"a", -8}, {"\u2581a", -7}, {"[INST]", 0}, {"[/INST]", 0}});
    for (const Token mark : {3, 4})
      spec.kinds[static_cast<std::size_t>(test::kFirstPiece + mark)] = kind;
    spec.dropped_spaces = 1;
    test::GgufWriter file;
    test::set_pieces(file, spec);
    return Tokenizer(loaded(file)).encode(text, true);
  };
  constexpr Token kLetter = test::kFirstPiece + 1, kWord = kLetter + 1, kMark = kLetter + 2;
  EXPECT_EQ(encoded(TokenKind::kControl, "a[INST]a[/INST] a"),
            (std::vector<Token>{kWord, kMark, kLetter, kMark + 1, kWord}));
  EXPECT_EQ(encoded(TokenKind::kControl, "[INST]a"), (std::vector<Token>{kMark, kLetter}));
  // Where they are no special tokens, as of Llama 2, a text after one gets its own space.
  EXPECT_EQ(encoded(TokenKind::kUserDefined, "a[INST]a"),
            (std::vector<Token>{kWord, kMark, kWord}));
}

TEST(PieceTokens, OfAGgufFileNeedUsableScores) {
  test::GgufWriter file;
  test::set_pieces(file, test::small_pieces({{"a", -8}}));
  file.erase("tokenizer.ggml.scores");
  test::expect_input_error([&] { loaded(file); }, "tokenizer.ggml.scores", "missing");
  file.set("tokenizer.ggml.scores", std::vector<std::int32_t>(260, 1));
  test::expect_input_error([&] { loaded(file); }, "an array of 32-bit floats");
  file.set("tokenizer.ggml.scores", std::vector<float>(259, 1));
  test::expect_input_error([&] { Tokenizer{loaded(file)}; }, "260 tokens, but 259 scores");
}

class HfPieceTokens : public testing::TestWithParam<std::size_t> {};

TEST_P(HfPieceTokens, AreThoseOfHuggingFace) {
  const json& made = golden()["tokenizers"][GetParam()];
  json file = made["file"];
  file["model"]["vocab"] = golden()["vocab"];
  file["model"]["merges"] = golden()["merges"];
  for (const auto& [token, name] : made["renamed"].items()) {
    json& vocab = file["model"]["vocab"];
    vocab[name.get<std::string>()] = vocab[token];
    vocab.erase(token);
  }
  const json settings = json::object();
  const Tokenizer tokenizer(
      model::read_hf_tokenizer(model::JsonObject(file, "tokenizer.json"),
                               model::JsonObject(settings, "tokenizer_config.json"), std::nullopt));
  EXPECT_EQ(tokenizer.start(), made["start"].get<std::vector<Token>>());
  expect_as(made, golden()["texts"], tokenizer);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HfPieceTokens, testing::Range<std::size_t>(0, 6), [](const auto& kind) {
      return golden()["tokenizers"][kind.param]["name"].template get<std::string>();
    });

TEST(PieceTokens, AgreeForEveryKindOfTokenizer) { EXPECT_EQ(golden()["tokenizers"].size(), 6u); }

}  // namespace
}  // namespace outrider::text
