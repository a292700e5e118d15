#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/cpu/rope_angles.h"
#include "runtime/engine/cuda/cuda_kv_cache.h"
#include "runtime/engine/cuda/cuda_logits.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/engine/cuda/cuda_weights.h"
#include "runtime/engine/cuda/pass_buffers.h"
#include "runtime/engine/cuda/pass_graphs.h"
#include "runtime/engine/cuda/row_tiles.h"
#include "runtime/engine/cuda/tap_buffers.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/pass_layout.h"

namespace outrider::engine::cuda {

/// The slots of paths that are drafted ahead: those of the rows before, then of each level's rows, to which the device adds
/// each row's own.
struct PathsAhead {
  int before;              // rows
  int before_length;       // slots of each
  std::vector<int> slots;  // [before, before_length]
  int width, levels;

  /// Slots that a row of a level has room for.
  int stride() const { return before_length + levels; }
  /// Where those of a level begin; -1: of the rows before.
  std::size_t at(int level) const {
    const int of_level = level < 0 ? 0 : before * before_length + level * width * stride();
    return static_cast<std::size_t>(of_level);
  }
  std::size_t size() const { return at(levels); }
};

/// Runs passes: what a pass needs of the host is copied to the device at once, the steps are launched, or replayed
/// where a pass of the same form was launched before, and the results are copied back at once.
class CudaForward {
 public:
  /// @param spread  as of GpuKernels::product
  CudaForward(std::shared_ptr<Gpu> gpu, const model::Model& model,
              std::shared_ptr<const CudaWeights> weights, const NumericsPlan& plan, bool spread);

  void run(Pass& pass);

  // A pass whose rows are drafted level by level (CudaAheadReader): each is launched once the one before has said what its
  // tokens are.

  /// Copies to the device all but the rows' tokens.
  /// @param paths  the slots of the rows' paths after the committed ones; null: the rows are a chain as they stand
  /// @return where the logits of each level will be
  const float* begin_ahead(Pass& pass, const PathsAhead* paths);
  /// Where the first states of a level's rows are written, and what a row has, which is more than the model's width where it
  /// is given its own state too.
  float* ahead_states(int first_row) const;
  int ahead_state_width() const;
  /// The states after the final norm of rows that were launched, where the pass requests them; else null.
  const float* ahead_own(int first_row) const;
  const PassRow* ahead_rows(int first_row) const {
    return device_at<PassRow>(inputs_.rows) + first_row;
  }
  /// Where lists of slots lie, from number `at` on.
  int* ahead_paths(std::size_t at) const { return device_at<int>(inputs_.extra) + at; }
  /// @return the logits, until the next level's launch
  CudaRows launch_ahead(int first_row, int rows);
  /// Waits for all launches.
  void end_ahead(Pass& pass);
  int splits() const { return splits_; }
  /// How often memory that launches name has moved.
  int moves() const { return moves_; }

 private:
  /// What the host hands to a pass: one piece of memory, copied at once.
  struct Inputs {
    DeviceBuffer<std::uint8_t> device;
    HostBuffer<std::uint8_t> host;
    // Offsets of its parts.
    std::size_t states = 0;      // [rows, width or state_inputs] floats
    std::size_t angles = 0;      // [rows, rotary_width] floats
    std::size_t rows = 0;        // [rows] PassRow
    std::size_t logit_rows = 0;  // [rows] int
    std::size_t tiles = 0;       // [tiles] RowTile
    std::size_t extra = 0;       // [extra] int
    std::size_t bytes = 0;
  };

  void find_caches(const Pass& pass);
  /// Makes room for the pass's logits.
  void find_logits(Pass& pass);
  void mark_too_large(const Pass& pass);
  /// Memory that they name moves: called before, since the device may have no room for what is to come.
  void forget_graphs();
  void prepare(Pass& pass, const PathsAhead* paths = nullptr);
  void write_inputs(const Pass& pass);
  template <typename T>
  T* host_at(std::size_t offset) {
    return reinterpret_cast<T*>(inputs_.host.span().data() + offset);
  }
  template <typename T>
  T* device_at(std::size_t offset) const {
    return reinterpret_cast<T*>(inputs_.device.data() + offset);
  }
  void launch();
  struct ProjectTo {
    const CudaProjection* projection;
    float* out;
  };
  /// Products of the same rows; those of one packing that follow each other are computed together.
  void project(std::initializer_list<ProjectTo> products, const Operand& x, int out_stride,
               bool accumulate, int rows);
  /// Normalises rows of `width` numbers, or takes them as they are, for the next products.
  Operand normalised(const float* x, int width, const CudaNorm& norm, const int* row_numbers,
                     int rows);
  void normalise_in_place(const CudaNorm& norm);
  /// The attended rows of a layer, from 0, as the next product takes them.
  Operand attend(int layer);
  void feed_forward(const CudaLayer& layer);
  void take_results(Pass& pass);
  void attend_at(const Observation& observed, int row, std::span<const Head> heads,
                 std::span<const int> positions, float* out);

  std::shared_ptr<Gpu> gpu_;
  const model::Model& model_;
  const model::ModelConfig& config_;
  std::shared_ptr<const CudaWeights> weights_;
  KvType kv_;
  float kv_bound_;  // as NumericsPlan::kv_bound
  HeadShape shape_;
  bool spread_;
  cpu::RopeAngles rope_;
  DeviceBuffer<float> slopes_;  // empty: no ALiBi

  PassBuffers buffers_;
  Inputs inputs_;
  // Rows of logits stay on the device, each pass's in memory of its own.
  std::shared_ptr<CudaLogits> logits_;  // of the pass
  HostBuffer<unsigned> too_large_;      // [rows] 1: with keys or values that its cache cannot hold
  TapBuffers taps_;
  PassGraphs graphs_;
  int moves_ = 0;

  // State of the current pass.
  int rows_ = 0;
  int splits_ = 0;
  PassLayout layout_;
  std::vector<CudaKvCache*> caches_;
  std::vector<int> logit_rows_;
  RowTiles tiles_;
  int first_row_ = 0;  // of those that are launched
};

}  // namespace outrider::engine::cuda
