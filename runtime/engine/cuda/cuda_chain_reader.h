#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/chain_reader.h"
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

/// Passes over one row, and what is asked about it, one after the other: recorded together where a chain like it came before.
class CudaChainReader final : public ChainReader {
 public:
  /// @param forward  of an engine for drafts, which must outlive it
  CudaChainReader(std::shared_ptr<Gpu> gpu, CudaForward& forward,
                  std::shared_ptr<const DraftedEmbedding> embedding, int num_logits,
                  const RowReaderOptions& options);

  void answer(KvCache& cache, const LogitsRow& after, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers) override;

 private:
  void forget_moved_memory(const float* logits);

  std::shared_ptr<Gpu> gpu_;
  CudaForward& forward_;
  std::shared_ptr<const DraftedEmbedding> embedding_;
  CudaRowReader reader_;
  Pass pass_;
  std::vector<float> no_state_;  // what the host gives rows in place of one
  std::vector<RowQuestion> questions_;
  PassGraphs graphs_;
  // When the graphs were recorded.
  int forward_moves_ = 0, reader_moves_ = 0;
  const float* logits_ = nullptr;
};

}  // namespace outrider::engine::cuda
