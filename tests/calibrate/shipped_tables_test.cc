#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "calibrate/ngrammys/bigram_table.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/inference/target.h"
#include "tests/support/source_path.h"

namespace outrider::calibrate {
namespace {

class ShippedTables : public testing::Test {
 protected:
  ShippedTables() : target_({.model = test::default_model()}) {
    artifacts::ArtifactSet shipped(artifacts::identity_of(target_.model()));
    shipped.add_folder(test::source_path("checkpoints"));
    const artifacts::ArtifactFile* file = shipped.with(artifacts::kNgrammys);
    if (file != nullptr) shipped_ = artifacts::read_ngrammys(*file);
  }

  std::vector<Token> before() const {
    if (shipped_.bigram_context == "none") return {};
    text::PromptText before;
    before.mark(target_.chat().before_answer());
    return target_.tokenizer().encode_opening(before);
  }

  inference::Target target_;
  draft::NgramTables shipped_;
};

// Whoever made it, with other batches, threads or instruction sets.
TEST_F(ShippedTables, AreThoseOfPassesOfOneRowBitForBit) {
  constexpr int kRows = 12;
  ASSERT_EQ(shipped_.vocab(), target_.model().config.vocab);
  ASSERT_EQ(shipped_.numerics, target_.engine().numerics_name());
  std::mt19937 random(20);
  for (int part = 0; part < 8; ++part) {
    const int first = static_cast<int>(random() % static_cast<unsigned>(shipped_.vocab() - kRows));
    const auto begin = static_cast<std::ptrdiff_t>(first) * shipped_.top;
    BigramTable table;
    table.before = before();
    table.top = shipped_.top;
    table.first = first;
    EXPECT_TRUE(fill_bigram_table(target_.engine(), 1, first + kRows, table, [] { return true; }));
    const auto end = begin + static_cast<std::ptrdiff_t>(kRows) * shipped_.top;
    EXPECT_TRUE(std::equal(table.next.begin(), table.next.end(), shipped_.next.begin() + begin,
                           shipped_.next.begin() + end));
    EXPECT_TRUE(std::equal(table.log_probs.begin(), table.log_probs.end(),
                           shipped_.log_probs.begin() + begin, shipped_.log_probs.begin() + end));
  }
}

}  // namespace
}  // namespace outrider::calibrate
