#include "runtime/engine/cpu/expert_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace outrider::engine::cpu {
namespace {

model::ModelConfig config_of(int experts, int used, bool sum_to_one) {
  model::ModelConfig config;
  config.experts = experts;
  config.used_experts = used;
  config.experts_sum_to_one = sum_to_one;
  return config;
}

// Four experts in rows of sixteen outputs, as a product writes them.
std::vector<float> rows_of(const std::vector<std::vector<float>>& rows) {
  std::vector<float> all(rows.size() * 16, 1e9f);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), all.begin() + static_cast<std::ptrdiff_t>(16 * i));
  return all;
}

TEST(ExpertRouting, ChoosesTheLargestOutputsAndOfEqualOnesTheLowest) {
  ExpertRouting routing(config_of(4, 2, true));
  const std::vector<float> outputs = rows_of({{0, 3, 1, 2}, {5, 5, 5, 5}, {-1, -2, -1, -1}});
  routing.assign(outputs.data(), 16, 3);
  ASSERT_EQ(routing.places(), 6);
  // Rows 0: 1 and 3; 1: 0 and 1; 2: 0 and 2. Expert by expert, rows ascending.
  const std::vector<int> begins = {0, 2, 4, 5, 6};
  for (int e = 0; e <= 4; ++e) EXPECT_EQ(routing.begin(e), begins[static_cast<std::size_t>(e)]);
  const std::vector<int> rows = {1, 2, 0, 1, 2, 0};
  for (int place = 0; place < 6; ++place)
    EXPECT_EQ(routing.row(place), rows[static_cast<std::size_t>(place)]) << place;
  EXPECT_EQ(routing.parts(0)[0].place, 2);
  EXPECT_EQ(routing.parts(0)[1].place, 5);
  EXPECT_EQ(routing.parts(2)[0].place, 1);
  EXPECT_EQ(routing.parts(2)[1].place, 4);
}

TEST(ExpertRouting, SharesSumToOneOverTheChosenOrOverAll) {
  const std::vector<float> outputs = rows_of({{0, 3, 1, 2}});
  ExpertRouting chosen(config_of(4, 2, true));
  chosen.assign(outputs.data(), 16, 1);
  EXPECT_NEAR(chosen.parts(0)[0].share, 1 / (1 + std::exp(-1.0)), 1e-7);
  EXPECT_NEAR(chosen.parts(0)[0].share + chosen.parts(0)[1].share, 1, 1e-7);
  ExpertRouting all(config_of(4, 2, false));
  all.assign(outputs.data(), 16, 1);
  const double total = 1 + std::exp(-1.0) + std::exp(-2.0) + std::exp(-3.0);
  EXPECT_NEAR(all.parts(0)[0].share, 1 / total, 1e-7);
  EXPECT_NEAR(all.parts(0)[1].share, std::exp(-1.0) / total, 1e-7);
}

}  // namespace
}  // namespace outrider::engine::cpu
