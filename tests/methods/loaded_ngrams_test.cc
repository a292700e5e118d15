#include "runtime/methods/loaded_ngrams.h"

#include <gtest/gtest.h>

#include "runtime/engine/machine.h"
#include "tests/methods/calibrated_target.h"

namespace outrider::methods {
namespace {

class NgramShapeTest : public testing::Test {
 protected:
  /// One draft of two tokens, or four; four are the fastest there at temperature 0, one at 1.
  void write_grid(const std::string& machine, int threads) {
    cost::DraftGrid grid;
    grid.temperature = 0;
    grid.threads = threads;
    grid.drafts = {1, 4};
    grid.draft_lengths = {2};
    grid.tokens_per_pass = {1.5, 2};
    grid.drafted_per_pass = {2, 8};
    grid.tokens_per_second = {10, 20};
    std::vector<cost::DraftGrid> grids = {grid, grid};
    grids[1].temperature = 1;
    grids[1].tokens_per_second = {20, 10};
    target_.write(artifacts::ngrammys_grid_group(machine),
                  [&](hdf5::Writer& file, const std::string& group) {
                    artifacts::write_ngrammys_grids(grids, file, group);
                  });
  }
  /// "drafts length" of a method.
  std::string shape(const std::string& method, const MethodTarget& target) const {
    const auto record = target_.method(method)->prepare(target).record();
    return record["drafts"].dump() +
           (record.contains("draft_length") ? " " + record["draft_length"].dump() : "");
  }

  test::CalibratedTarget target_;
};

TEST_F(NgramShapeTest, WithoutAGridIsTheSmallest) {
  for (const char* method : {"ngrammys", "bigram", "context-ngram"})
    EXPECT_EQ(shape(method, target_.for_methods()), "1 1") << method;
  EXPECT_EQ(shape("unigram", target_.for_methods()), "1");
  const auto given = target_.method("ngrammys");
  fill_in(*given, "drafts", 3);
  EXPECT_EQ(given->prepare(target_.for_methods()).record()["drafts"], 3);
  EXPECT_EQ(given->prepare(target_.for_methods()).record()["draft_length"], 1);
}

TEST_F(NgramShapeTest, OfAnotherMachineIsTheFastestWithTheCostsOfThisOne) {
  write_grid("another machine", 2);
  EXPECT_EQ(shape("ngrammys", target_.priced(0.001, 1)), "4 2");
  EXPECT_EQ(shape("bigram", target_.priced(0.2, 1)), "1 2");
  EXPECT_EQ(shape("unigram", target_.priced(0.2, 1)), "1");
}

TEST_F(NgramShapeTest, OfThisMachineIsAsItWasFoundWithThatManyThreads) {
  write_grid(engine::machine_name(), target_.target().engine().workers());
  EXPECT_EQ(shape("ngrammys", target_.priced(0.2, 1)), "4 2");
  EXPECT_EQ(shape("ngrammys", target_.for_methods(0.8)), "1 2") << "at the other temperature";
  write_grid(engine::machine_name(), target_.target().engine().workers() + 1);
  EXPECT_EQ(shape("ngrammys", target_.priced(0.2, 1)), "1 2");
}

}  // namespace
}  // namespace outrider::methods
