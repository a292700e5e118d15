// Draft models with trimmed heads, written for other programs and loaded again.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/engine/forward_text.h"
#include "runtime/model/exported_tensors.h"
#include "runtime/model/gguf/write_gguf.h"
#include "runtime/model/huggingface/write_hf_folder.h"
#include "runtime/sampling/arg_max.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/shallow_model.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

using model::Model;
using model::WeightType;

/// Of all rows: [rows][num_logits].
std::vector<std::vector<float>> logits_by_row(const Model& of, Numerics numerics,
                                              std::span<const Token> text) {
  const auto engine = make_engine(of, {.numerics = numerics, .threads = 1});
  std::vector<std::vector<float>> rows;
  forward_text(*engine, text, {.logits_from = 0}, [&](const Pass& pass, int) {
    for (int i = 0; i < std::ssize(pass.rows); ++i) {
      const auto row = pass.row_logits(i);
      rows.emplace_back(row.begin(), row.end());
    }
  });
  return rows;
}

/// Every token of the head has its logit's bits, and no other one is ever the best.
void expect_same(const Model& draft, const Model& exported, Numerics numerics) {
  EXPECT_TRUE(exported.head_tokens.empty());
  ASSERT_EQ(exported.head.rows, draft.config.vocab);
  const auto text = test::random_tokens(60, draft.config.vocab, 8);
  const auto expected = logits_by_row(draft, numerics, text);
  const auto found = logits_by_row(exported, numerics, text);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    for (std::size_t t = 0; t < draft.head_tokens.size(); ++t)
      ASSERT_EQ(
          std::bit_cast<std::uint32_t>(found[r][static_cast<std::size_t>(draft.head_tokens[t])]),
          std::bit_cast<std::uint32_t>(expected[r][t]))
          << "row " << r;
    const auto best = static_cast<std::size_t>(sampling::arg_max(expected[r]));
    EXPECT_EQ(sampling::arg_max(found[r]), draft.head_tokens[best]) << "row " << r;
  }
}

class ExportedDraft : public testing::TestWithParam<WeightType> {
 protected:
  void SetUp() override {
    const auto path = test::write_tiny_llama(folder_.path(), "tiny.gguf",
                                             {.layers = 3, .head_width = 32}, 3, GetParam());
    target_ = model::load_model(path);
    draft_ = test::shallow_model(target_, std::vector{1, 3},
                                 test::every_token(target_.config.vocab, 5, 3));
  }
  Model exported(bool as_floats) {
    const auto path = folder_.path() / "draft.gguf";
    OutputFile out("--out", path.string());
    model::write_gguf(model::with_whole_head(draft_), target_, as_floats, out);
    return model::load_model(path);
  }

  test::TemporaryFolder folder_;
  Model target_;
  Model draft_;
};

TEST_P(ExportedDraft, AsFloatsGivesTheSameBits) {
  const Model found = exported(true);
  EXPECT_EQ(found.head.type, WeightType::kF32);
  expect_same(draft_, found, Numerics::kF32);
}

TEST_P(ExportedDraft, AsStoredGivesTheSameBits) {
  const Model found = exported(false);
  EXPECT_EQ(found.layers[1].k.type, GetParam());
  expect_same(draft_, found, Numerics::kAuto);
}

TEST_P(ExportedDraft, HasTheTargetsTokenizerAndRotation) {
  draft_.config.rope_divisors.assign(16, 1.5f);
  draft_.config.rope_scale = 1.25f;
  const Model found = exported(false);
  EXPECT_EQ(found.tokenizer.tokens, target_.tokenizer.tokens);
  EXPECT_EQ(found.tokenizer.merges, target_.tokenizer.merges);
  EXPECT_EQ(found.tokenizer.end_tokens, target_.tokenizer.end_tokens);
  EXPECT_EQ(found.tokenizer.chat_template, target_.tokenizer.chat_template);
  expect_same(draft_, found, Numerics::kAuto);
  test::expect_input_error(
      [&] { model::write_hf_folder(draft_, target_, folder_.path() / "folder"); }, "divisors");
}

INSTANTIATE_TEST_SUITE_P(, ExportedDraft,
                         testing::Values(WeightType::kF32, WeightType::kQ8_0, WeightType::kQ4_1),
                         [](const auto& type) { return model::type_name(type.param); });

TEST(ExportedDraftFolder, GivesTheSameBits) {
  const test::TemporaryFolder folder;
  const Model target = model::load_model(test::source_path("tests/golden/hf/llama_sharded"));
  Model draft =
      test::shallow_model(target, std::vector{1}, test::every_token(target.config.vocab, 4, 2));
  model::write_hf_folder(model::with_whole_head(draft), target, folder.path() / "draft");
  const Model found = model::load_model(folder.path() / "draft");
  EXPECT_EQ(found.head.type, WeightType::kF32);
  EXPECT_EQ(found.tokenizer.tokens, target.tokenizer.tokens);
  expect_same(draft, found, Numerics::kF32);

  model::write_hf_folder(model::with_whole_head(draft), target, folder.path() / "draft");
  std::filesystem::copy(test::source_path("tests/golden/hf/llama_sharded"),
                        folder.path() / "other");
  test::expect_input_error(
      [&] { model::write_hf_folder(draft, target, folder.path() / "other"); },
      "other: expected a new or an empty folder, found one with another model");

  OutputFile out("--out", (folder.path() / "draft.gguf").string());
  test::expect_input_error([&] { model::write_gguf(draft, target, true, out); },
                           "expected the target as a GGUF file");
}

TEST(ExportedDraftFolder, KeepsTheScaleOfTheEmbeddingAsAGranite) {
  const test::TemporaryFolder folder;
  Model target = model::load_model(test::source_path("tests/golden/hf/llama_sharded"));
  target.config.embedding_scale = 3;
  const Model draft =
      test::shallow_model(target, std::vector{1}, test::every_token(target.config.vocab, 4, 2));
  EXPECT_EQ(draft.config.embedding_scale, 3);
  model::write_hf_folder(model::with_whole_head(draft), target, folder.path() / "draft");
  const Model found = model::load_model(folder.path() / "draft");
  EXPECT_EQ(found.config.architecture, "granite");
  EXPECT_EQ(found.config.embedding_scale, 3);
  expect_same(draft, found, Numerics::kF32);
}

}  // namespace
}  // namespace outrider::engine
