#include "runtime/artifacts/drafter_costs.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

hdf5::Reader written(const DrafterCosts& costs) {
  hdf5::Writer file;
  write_drafter_costs(costs, file, "/g");
  return {file.finish(), "costs.h5"};
}

TEST(DrafterCosts, ComeBackInAlphabeticalOrder) {
  const hdf5::Reader file =
      written({{25, 500}, {{"pld", {2, 3}, {1, 2}, {4, 5}}, {"bigram", {6, 7}, {6, 6}, {8, 9}}}});
  const DrafterCosts read = read_drafter_costs(file, "/g");
  EXPECT_EQ(read.contexts, (std::vector<std::int32_t>{25, 500}));
  ASSERT_EQ(read.drafters.size(), 2u);
  EXPECT_EQ(read.drafters[0].name, "bigram");
  EXPECT_EQ(read.drafters[1].name, "pld");
  EXPECT_EQ(read.drafters[1].seconds, (std::vector<double>{2, 3}));
  EXPECT_EQ(read.drafters[1].low, (std::vector<double>{1, 2}));
  EXPECT_EQ(read.drafters[1].high, (std::vector<double>{4, 5}));
}

TEST(DrafterCosts, WhatIsNoneIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const DrafterCosts& costs, const char* what) {
    const hdf5::Reader file = written(costs);
    test::expect_input_error([&] { read_drafter_costs(file, "/g"); }, what);
  };
  refused({{25}, {{"pld", {-1}, {1}, {1}}}}, "/g/pld/seconds");
  refused({{25}, {{"pld", {1}, {1}, {infinity}}}}, "/g/pld/seconds_high");
  hdf5::Writer bare;
  bare.add_number<std::int32_t>("/g/other", 1);
  const hdf5::Reader file(bare.finish(), "bare.h5");
  test::expect_input_error([&] { read_drafter_costs(file, "/g"); }, "/g/context");
}

}  // namespace
}  // namespace outrider::artifacts
