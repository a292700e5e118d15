#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/engine/ahead_reader.h"
#include "runtime/engine/cuda/cuda_forward.h"
#include "runtime/engine/cuda/cuda_row_reader.h"

namespace outrider::engine::cuda {

/// The first states of the tokens of a model's head, on the device.
struct DraftedEmbedding {
  DraftedEmbedding(Device& device, const model::Model& model);
  static std::int64_t bytes(const model::Model& model);

  int count, width;
  DeviceBuffer<float> states;  // [rows of the head, width]
};

/// Passes over the rows of a level, and what is asked about them, one after the other: recorded together where levels of the
/// same form came before.
class CudaAheadReader final : public AheadReader {
 public:
  /// @param forward  of an engine for drafts, which must outlive it
  CudaAheadReader(std::shared_ptr<Gpu> gpu, CudaForward& forward,
                  std::shared_ptr<const DraftedEmbedding> embedding, int num_logits,
                  const RowReaderOptions& options);

  void answer(KvCache& cache, const Logits& logits, std::span<const RowBefore> before,
              const Ahead& ahead, const AheadStates& states, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers, std::span<RowAhead> rows) override;

 private:
  void check(const Logits& logits, std::span<const RowBefore> before, const Ahead& ahead,
             const AheadStates& states, std::size_t questions) const;
  void write_pass(KvCache& cache, std::span<const RowBefore> before, const Ahead& ahead);
  void find_paths(const KvCache& cache, std::span<const RowBefore> before, const Ahead& ahead);
  void reserve(std::size_t before, std::size_t rows);
  void launch(const CudaRows& before, int rows_before, const Ahead& ahead);
  void choose(int level, int rows_before, const Ahead& ahead);
  /// Numbers of a row's own state that it is given.
  std::size_t own_width() const {
    return static_cast<std::size_t>(forward_.ahead_state_width() - embedding_->width);
  }
  void take_states(std::span<float> states) const;
  static void take_rows(KvCache& cache, std::span<const RowBefore> before, const Ahead& ahead,
                        std::span<const RowAhead> rows);
  void forget_moved_memory(const float* logits);

  std::shared_ptr<Gpu> gpu_;
  CudaForward& forward_;
  std::shared_ptr<const DraftedEmbedding> embedding_;
  CudaRowReader reader_;
  Pass pass_;
  std::vector<float> no_state_;  // what the host gives rows in place of one
  // [rows before, own_width]
  HostBuffer<float> states_before_;
  DeviceBuffer<float> device_states_before_;
  std::vector<RowQuestion> questions_;
  std::optional<PathsAhead> paths_;  // nothing: the rows are a chain
  HostBuffer<int> children_;         // of the rows before each level
  DeviceBuffer<int> device_children_;
  // [rows before, then of each level]
  HostBuffer<double> chances_before_;
  DeviceBuffer<double> chances_;
  HostBuffer<RowAhead> chosen_;  // [levels, width]
  DeviceBuffer<RowAhead> device_chosen_;
  PassGraphs graphs_;
  // When the graphs were recorded.
  int forward_moves_ = 0, reader_moves_ = 0;
  const float* logits_ = nullptr;
};

}  // namespace outrider::engine::cuda
