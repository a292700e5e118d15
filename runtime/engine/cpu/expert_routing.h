#pragma once

#include <cstddef>
#include <vector>

#include "runtime/model/config.h"

namespace outrider::engine::cpu {

/// Which experts compute which rows of a layer. A row's experts are those with the largest outputs of the router, of
/// equal ones the lowest; their shares are a softmax over them, or over all experts. Both depend on the row's outputs
/// alone. The places of all rows at their experts are numbered expert by expert, so that an expert's weights are read
/// once for all of its rows.
class ExpertRouting {
 public:
  explicit ExpertRouting(const model::ModelConfig& config)
      : experts_(config.experts),
        used_(config.used_experts),
        sum_to_one_(config.experts_sum_to_one) {}

  /// @param outputs  [rows, stride], of the router
  void assign(const float* outputs, std::size_t stride, int rows);

  int places() const { return static_cast<int>(rows_.size()); }
  /// The row that has a place.
  int row(int place) const { return rows_[static_cast<std::size_t>(place)]; }
  /// The places of an expert: [begin(e), begin(e + 1)).
  int begin(int expert) const { return begins_[static_cast<std::size_t>(expert)]; }

  struct Part {
    int place;
    float share;
  };
  /// [used] the places of a row, by ascending expert.
  const Part* parts(int row) const { return parts_.data() + std::ptrdiff_t{row} * used_; }

 private:
  void choose(const float* outputs, int row);

  int experts_;
  int used_;
  bool sum_to_one_;
  std::vector<int> chosen_;  // [rows, used] ascending
  std::vector<int> begins_;  // [experts + 1]
  std::vector<int> rows_;    // [places]
  std::vector<Part> parts_;  // [rows, used]
};

}  // namespace outrider::engine::cpu
