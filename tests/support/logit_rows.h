#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "runtime/engine/cuda/cuda_logits.h"
#include "runtime/engine/logits.h"

namespace outrider::test {

using LogitRow = std::vector<float>;

constexpr float kImpossibleLogit = -std::numeric_limits<float>::infinity();

/// Logits of many kinds: usual ones, ties, few that are possible, one that is nearly certain.
/// @param vocab  at least 100
inline std::vector<LogitRow> logit_rows_of_all_kinds(int vocab) {
  std::mt19937_64 random(9);
  std::normal_distribution<float> normal;
  const auto width = static_cast<std::size_t>(vocab);
  std::vector<LogitRow> rows(7, LogitRow(width));
  for (float& z : rows[0]) z = 3 * normal(random);
  for (float& z : rows[1]) z = 12 * normal(random);
  for (float& z : rows[2]) z = std::round(normal(random));  // many equal ones
  std::fill(rows[3].begin(), rows[3].end(), -1.5f);
  for (float& z : rows[4]) z = random() % 400 == 0 ? normal(random) : kImpossibleLogit;
  rows[4][width / 2] = 1;
  for (float& z : rows[5]) z = -60 + normal(random);
  rows[5][width - 4] = 8;
  for (float& z : rows[6])
    z = static_cast<float>(random() % 2) * 1e-20f;  // equal below the largest
  rows[6][77] = 2;
  return rows;
}

/// Leaves rows on the host, as a pass of an engine there does.
inline void leave_on_host(const std::vector<LogitRow>& rows, engine::Logits& logits) {
  const std::size_t width = rows.front().size();
  float* to = logits.on_host(static_cast<int>(rows.size()), static_cast<int>(width), width);
  for (const LogitRow& row : rows) to = std::copy(row.begin(), row.end(), to);
}

/// Leaves rows on a device, as a pass of an engine there does.
inline void leave_on_device(const std::shared_ptr<engine::cuda::Gpu>& gpu,
                            const std::vector<LogitRow>& rows, engine::Logits& logits) {
  const std::size_t width = rows.front().size(), stride = width + 13;
  const auto there = std::make_shared<engine::cuda::CudaLogits>(gpu);
  there->begin(static_cast<int>(rows.size()), stride);
  for (std::size_t r = 0; r < rows.size(); ++r)
    gpu->device->copy_to(there->data() + r * stride, rows[r].data(), width * sizeof(float));
  gpu->device->synchronise();
  logits.leave(static_cast<int>(rows.size()), static_cast<int>(width), there);
}

}  // namespace outrider::test
