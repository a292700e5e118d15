#include "runtime/artifacts/parallelspec_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "runtime/artifacts/stored_weights.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::artifacts {
namespace {

using draft::ParallelSpecModel;
using Flavour = ParallelSpecModel::Flavour;
using model::WeightType;
using Kind = std::tuple<WeightType, Flavour, bool>;

class ParallelSpecGroup : public testing::TestWithParam<Kind> {
 protected:
  ParallelSpecGroup()
      : bytes_(test::tiny_llama_gguf({.layers = 3, .head_width = 32}, 3, std::get<0>(GetParam()))),
        target_(model::parse_model(bytes_, "tiny")),
        flavour_(std::get<1>(GetParam())),
        group_(parallelspec_group(flavour_)),
        drafter_(test::tiny_parallelspec(target_, {flavour_, std::get<2>(GetParam())}, 7)) {
    drafter_.best_length = 2;
  }

  bool eagle() const { return ParallelSpecModel::reads_pairs(flavour_); }
  bool has_masks() const { return flavour_ == Flavour::kEagle || flavour_ == Flavour::kMedusa; }
  bool has_heads() const { return flavour_ == Flavour::kMedusaHeads; }
  bool drafts_one_by_one() const { return flavour_ == Flavour::kEagleAr; }
  ArtifactFile written(const ParallelSpecModel& model, bool shares_head = false) const {
    hdf5::Writer writer;
    write_target({"tiny.gguf", "01", "23", target_.config.vocab, target_.config.width, 3}, writer);
    write_provenance({}, group_, writer);
    write_parallelspec(model, writer, group_, shares_head);
    return ArtifactFile(hdf5::Reader(writer.finish(), "trained.h5"));
  }
  ParallelSpecModel read_back() const {
    return read_parallelspec(written(drafter_), target_, flavour_);
  }
  void expect_refused(const std::string& path, const std::string& why) {
    test::expect_input_error([&] { read_back(); }, "trained.h5", group_ + path, why);
  }

  std::vector<std::byte> bytes_;
  model::Model target_;
  Flavour flavour_;
  std::string group_;
  ParallelSpecModel drafter_;
};

bool same_bytes(const model::Weight& one, const model::Weight& other) {
  return one.type == other.type &&
         std::equal(one.bytes.begin(), one.bytes.end(), other.bytes.begin(), other.bytes.end());
}

TEST_P(ParallelSpecGroup, GivesTheModelBack) {
  const ParallelSpecModel read = read_back();
  EXPECT_EQ(read.flavour, flavour_);
  EXPECT_EQ(read.token_inputs, drafter_.token_inputs);
  EXPECT_EQ(read.best_length, 2);
  EXPECT_EQ(read.masks(), drafts_one_by_one() ? 0 : 3);
  EXPECT_EQ(read.most_drafts(), drafts_one_by_one() ? 16 : drafter_.token_inputs ? 4 : 3);
  EXPECT_EQ(read.mask_embeddings, drafter_.mask_embeddings);
  EXPECT_EQ(read.mask_features, drafter_.mask_features);
  EXPECT_EQ(read.layer.head_tokens, drafter_.layer.head_tokens);
  EXPECT_EQ(read.layer.config.state_inputs, eagle() ? 128 : 0);
  EXPECT_EQ(read.layer.final_norm.rows, eagle() || has_heads() ? 0 : 1);
  EXPECT_EQ(read.layer.embedding.bytes.data(), target_.embedding.bytes.data());
  EXPECT_TRUE(same_bytes(read.layer.state_projection, drafter_.layer.state_projection));
  EXPECT_EQ(read.layer.layers.size(), has_heads() ? 0u : 1u);
  if (!has_heads()) {
    EXPECT_TRUE(same_bytes(read.layer.layers[0].v, target_.layers[2].v));
  }
  EXPECT_EQ(read.residual.head.rows, has_heads() ? 3 * 64 : 0);
  EXPECT_TRUE(same_bytes(read.residual.head, drafter_.residual.head));
  EXPECT_TRUE(same_bytes(read.layer.head, drafter_.layer.head));
  check_head_is_of(target_, read);
}

TEST_P(ParallelSpecGroup, CanShareTheTargetsHead) {
  std::vector<Token>& tokens = drafter_.layer.head_tokens;
  const ArtifactFile file = written(drafter_, true);
  EXPECT_FALSE(file.reader().has(group_ + "/head"));
  const model::Weight head = read_parallelspec(file, target_, flavour_).layer.head;
  ASSERT_EQ(head.rows, std::ssize(tokens));
  EXPECT_EQ(head.type, target_.head.type);
  for (std::int64_t r = 0; r < head.rows; ++r)
    EXPECT_EQ(head.row(r), target_.head.row(tokens[static_cast<std::size_t>(r)])) << r;
  check_head_is_of(target_, read_parallelspec(file, target_, flavour_));
}

TEST_P(ParallelSpecGroup, RefusesMasksThatAreNotFinite) {
  if (!has_masks()) return;
  drafter_.mask_embeddings[70] = std::numeric_limits<float>::quiet_NaN();
  expect_refused("/mask_embeddings", "expected finite numbers, found nan");
  drafter_.mask_embeddings[70] = 0;
  if (!eagle()) return;
  drafter_.mask_features[0] = std::numeric_limits<float>::infinity();
  expect_refused("/mask_features", "expected finite numbers, found inf");
}

TEST_P(ParallelSpecGroup, RefusesAMatrixThatIsNotFinite) {
  model::Weight& matrix = has_heads() ? drafter_.residual.head
                          : eagle()   ? drafter_.layer.state_projection
                                      : drafter_.layer.layers[0].up;
  std::vector<std::byte> bytes(matrix.bytes.begin(), matrix.bytes.end());
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(matrix.row_bytes()), 4, std::byte{0xFF});
  matrix.bytes = drafter_.layer.keep(std::move(bytes));
  expect_refused(has_heads() ? "/residual"
                 : eagle()   ? "/fc"
                             : "/layers/ffn_up.weight",
                 "NaN or infinite, in row 1");
}

TEST_P(ParallelSpecGroup, RefusesTheHeadOfAnotherVocabulary) {
  std::vector<Token>& tokens = drafter_.layer.head_tokens;
  tokens[5] += 1;  // still ascending
  test::expect_input_error([&] { check_head_is_of(target_, read_back()); }, "trained.h5",
                           "row 5 is not the row of token 17", "train it again");
}

TEST_P(ParallelSpecGroup, RefusesAnotherWidthOfTheTarget) {
  const ArtifactFile file = written(drafter_);
  target_.config.width = 32;
  if (has_heads())
    test::expect_input_error([&] { read_parallelspec(file, target_, flavour_); },
                             "/medusa_heads/head", "expected");
  else
    test::expect_input_error([&] { read_parallelspec(file, target_, flavour_); }, "/shape/width",
                             "expected the target's, 32, found 64");
}

TEST_P(ParallelSpecGroup, RefusesOtherHeadsThanItsMatrices) {
  if (!has_heads()) return;
  for (const std::int32_t heads : {0, 2, 4, 65}) {
    hdf5::Writer writer;
    write_target({"tiny.gguf", "01", "23", target_.config.vocab, target_.config.width, 3}, writer);
    write_provenance({}, group_, writer);
    writer.add_number<std::int32_t>(group_ + "/masks", heads);
    writer.add_number<std::int32_t>(group_ + "/token_inputs", 0);
    writer.add_number<std::int32_t>(group_ + "/best_length", 0);
    writer.add_text(group_ + "/residual_type", model::type_name(drafter_.residual.head.type));
    write_matrix(drafter_.residual.head, writer, group_ + "/residual");
    write_head(drafter_.layer, writer, group_);
    const ArtifactFile file(hdf5::Reader(writer.finish(), "trained.h5"));
    const bool is_in_range = heads == 2 || heads == 4;
    test::expect_input_error([&] { read_parallelspec(file, target_, flavour_); },
                             group_ + (is_in_range ? "/residual" : "/masks"), "expected");
  }
}

TEST_P(ParallelSpecGroup, RefusesTheOtherFlavour) {
  const auto other = eagle() ? Flavour::kMedusa : Flavour::kEagle;
  const ArtifactFile file = written(drafter_);
  test::expect_input_error([&] { read_parallelspec(file, target_, other); },
                           parallelspec_group(other));
}

TEST_P(ParallelSpecGroup, OfOtherModelsCannotBeWritten) {
  const auto expect_refused = [&](auto change) {
    ParallelSpecModel other = drafter_;
    change(other);
    EXPECT_THROW(written(other), std::logic_error);
  };
  if (has_masks()) {
    expect_refused([](ParallelSpecModel& m) { m.mask_embeddings.pop_back(); });
    expect_refused([](ParallelSpecModel& m) { m.mask_embeddings.clear(); });
  } else {
    expect_refused([](ParallelSpecModel& m) { m.mask_embeddings.assign(64, 1); });
  }
  if (has_heads()) {
    expect_refused([](ParallelSpecModel& m) { m.residual.head.rows -= 1; });
    expect_refused([](ParallelSpecModel& m) { m.residual = {}; });
    expect_refused([](ParallelSpecModel& m) { m.token_inputs = true; });
    expect_refused([](ParallelSpecModel& m) { m.layer.layers.emplace_back(); });
  } else {
    expect_refused([](ParallelSpecModel& m) { m.residual.head.rows = 64; });
    expect_refused([](ParallelSpecModel& m) { m.layer.layers.push_back(m.layer.layers[0]); });
  }
  expect_refused([](ParallelSpecModel& m) { m.mask_features.push_back(0); });
  expect_refused([](ParallelSpecModel& m) { m.best_length = m.most_drafts() + 1; });
  expect_refused([](ParallelSpecModel& m) { m.layer.config.state_inputs = 64; });
  if (eagle()) expect_refused([](ParallelSpecModel& m) { m.token_inputs = false; });
}

INSTANTIATE_TEST_SUITE_P(, ParallelSpecGroup,
                         testing::Values(Kind{WeightType::kQ8_0, Flavour::kEagle, true},
                                         Kind{WeightType::kF32, Flavour::kEagle, true},
                                         Kind{WeightType::kQ8_0, Flavour::kEagleAr, true},
                                         Kind{WeightType::kQ8_0, Flavour::kMedusaHeads, false},
                                         Kind{WeightType::kF32, Flavour::kMedusaHeads, false},
                                         Kind{WeightType::kQ8_0, Flavour::kMedusa, true},
                                         Kind{WeightType::kQ4_1, Flavour::kMedusa, false}));

}  // namespace
}  // namespace outrider::artifacts
