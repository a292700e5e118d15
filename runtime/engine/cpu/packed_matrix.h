#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/numerics.h"
#include "runtime/model/weight.h"

namespace outrider::engine::cpu {

/// The weights of one matrix product in the kernels' layout: panels of sixteen outputs, padded with
/// zero outputs.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  /// Has no weights yet: `place` assigns storage, `fill_panel` fills it.
  PackedMatrix(Packing packing, int outputs, int inputs)
      : packing_(packing), outputs_(outputs), inputs_(inputs) {}

  Packing packing() const { return packing_; }
  int outputs() const { return outputs_; }
  int inputs() const { return inputs_; }
  int panels() const { return (outputs_ + 15) / 16; }
  const std::uint8_t* data() const { return data_; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(panels()) * panel_bytes(packing_, inputs_);
  }

  /// @param storage  [bytes()], aligned to a cache line, owned by the caller
  void place(std::uint8_t* storage) { data_ = storage; }

  /// Fills panel `panel` with its sixteen rows of `weight`, zeros after the last row. Different
  /// threads may fill different panels.
  void fill_panel(int panel, const model::Weight& weight);

 private:
  Packing packing_ = Packing::kF32;
  int outputs_ = 0;
  int inputs_ = 0;
  std::uint8_t* data_ = nullptr;
};

/// The packing that keeps weights of `type` as stored in the file.
Packing own_packing(model::WeightType type);
/// The packing of weights of `type` in an engine with these numerics.
Packing packing_of(const NumericsPlan& plan, model::WeightType type);

}  // namespace outrider::engine::cpu
