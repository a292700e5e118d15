#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "runtime/artifacts/draft_group.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::artifacts {
namespace {

using model::Model;
using model::WeightType;

class DraftGroup : public testing::TestWithParam<WeightType> {
 protected:
  DraftGroup()
      : bytes_(test::tiny_llama_gguf({.layers = 3, .head_width = 32}, 3, GetParam())),
        target_(model::parse_model(bytes_, "tiny")),
        draft_(test::shallow_model(target_, kFrom, test::every_token(target_.config.vocab, 2, 3))) {
  }

  ArtifactFile written(const Model& draft) const {
    hdf5::Writer writer;
    write_target({"tiny.gguf", "01", "23", target_.config.vocab, target_.config.width, 3}, writer);
    write_provenance({}, kDraft, writer);
    write_draft(draft, kFrom, writer, kDraft);
    return ArtifactFile(hdf5::Reader(writer.finish(), "draft.h5"));
  }

  void expect_refused(const std::string& path, const std::string& why) {
    test::expect_input_error([&] { read_draft(written(draft_), target_); }, "draft.h5", path, why);
  }

  static inline const std::vector<int> kFrom = {1, 3};
  std::vector<std::byte> bytes_;
  Model target_;
  Model draft_;
};

std::vector<float> logits_of(const Model& model, std::span<const Token> text) {
  const auto engine = engine::make_engine(model, {.threads = 1});
  const auto cache = engine->make_cache(100);
  engine::Pass pass;
  engine::forward_text(*engine, *cache, pass, text, {.logits_from = 0});
  std::vector<float> all;
  for (int i = 0; i < pass.logits.rows(); ++i) {
    const auto row = pass.logits.row(i);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

TEST_P(DraftGroup, GivesTheModelBack) {
  const Model read = read_draft(written(draft_), target_);
  EXPECT_EQ(read.config.layers, 2);
  EXPECT_EQ(read.head_tokens, draft_.head_tokens);
  EXPECT_EQ(read.layers[1].q.type, GetParam());
  EXPECT_EQ(read.embedding.bytes.data(), target_.embedding.bytes.data());
  EXPECT_EQ(read.tokenizer.tokens, target_.tokenizer.tokens);
  const auto text = test::random_tokens(40, target_.config.vocab, 1);
  const auto expected = logits_of(draft_, text), found = logits_of(read, text);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
}

TEST_P(DraftGroup, MayHaveTheWholeHead) {
  draft_ = test::shallow_model(target_, kFrom, {});
  const Model read = read_draft(written(draft_), target_);
  EXPECT_TRUE(read.head_tokens.empty());
  EXPECT_EQ(read.head.rows, target_.config.vocab);
}

TEST_P(DraftGroup, RefusesTokensThatDoNotAscendOrAreNotTheTargets) {
  std::swap(draft_.head_tokens[4], draft_.head_tokens[5]);
  expect_refused("/draft/head_tokens", "ascending");
  draft_.head_tokens[4] = draft_.head_tokens[5];
  expect_refused("/draft/head_tokens", "ascending");
  draft_.head_tokens = test::every_token(target_.config.vocab, 2, 3);
  draft_.head_tokens.back() = target_.config.vocab;
  expect_refused("/draft/head_tokens", "tokens of the target's 274");
}

TEST_P(DraftGroup, RefusesNumbersThatAreNotFinite) {
  std::vector<std::byte> head(draft_.head.bytes.begin(), draft_.head.bytes.end());
  // A float, or the scale of a block, of row 1.
  const std::size_t row = static_cast<std::size_t>(draft_.head.row_bytes());
  std::fill_n(head.begin() + static_cast<std::ptrdiff_t>(row), 4, std::byte{0xFF});
  draft_.head.bytes = draft_.keep(std::move(head));
  expect_refused("/draft/head", "NaN or infinite, in row 1");
}

TEST_P(DraftGroup, RefusesImpossibleShapes) {
  const model::ModelConfig config = draft_.config;
  const auto try_shape = [&](const char* path, const char* why, auto change) {
    draft_.config = config;
    change(draft_.config);
    expect_refused(path, why);
  };
  using Config = model::ModelConfig;
  try_shape("/draft/shape/width", "expected the target's, 64, found 96",
            [](Config& c) { c.width = 96; });
  try_shape("/draft/shape/kv_heads", "expected a divisor of 4, found 3",
            [](Config& c) { c.kv_heads = 3; });
  try_shape("/draft/shape/layers", "expected 1 to 64, found 65", [](Config& c) { c.layers = 65; });
  try_shape("/draft/from_layers", "expected shape [1], found [2]", [](Config& c) { c.layers = 1; });
  try_shape("/draft/layers/ffn_gate.weight", "expected shape",
            [](Config& c) { c.ffn_width = 128; });
  try_shape("/draft/shape/norm_epsilon", "expected 0 to 1, found nan",
            [](Config& c) { c.norm_epsilon = std::numeric_limits<float>::quiet_NaN(); });
  try_shape("/draft/shape/rope_base", "found 0", [](Config& c) { c.rope_base = 0; });
  try_shape("/draft/shape/rope_divisors", "found -1",
            [](Config& c) { c.rope_divisors.assign(16, -1); });
}

TEST_P(DraftGroup, RefusesAnotherWidthOfTheTarget) {
  const ArtifactFile file = written(draft_);
  target_.config.width = 32;
  test::expect_input_error([&] { read_draft(file, target_); }, "/draft/shape/width",
                           "expected the target's, 32, found 64");
}

TEST_P(DraftGroup, OfOtherModelsCannotBeWritten) {
  Model other = draft_;
  other.config.windows = {8, 8};
  EXPECT_THROW(written(other), std::logic_error);
  other = draft_;
  other.layers[1].down.type = WeightType::kF16;
  EXPECT_THROW(written(other), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(, DraftGroup,
                         testing::Values(WeightType::kF32, WeightType::kQ8_0, WeightType::kQ4_1),
                         [](const auto& type) { return model::type_name(type.param); });

}  // namespace
}  // namespace outrider::artifacts
