#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/cuda/cuda_logits.h"
#include "runtime/engine/row_reader.h"

namespace outrider::engine::cuda {

/// Reads rows on the device that computed them: what is asked goes there in one copy, and what was found comes back in one.
class CudaRowReader final : public RowReader {
 public:
  /// @param top  logits that scores keep, at most the width
  CudaRowReader(std::shared_ptr<Gpu> gpu, int width, int top);

  void answer(const Logits& logits, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers) override;

 private:
  /// Rows that the device is asked about at once, and of these those with candidates.
  static constexpr std::size_t kMostRows = 64;
  static constexpr std::size_t kMostWithCandidates = 8;
  /// How a row is read; rows of one kind are read together.
  enum class Kind : std::uint8_t { kLargest, kByNoise, kFiltered, kScored };
  static constexpr std::size_t kKinds = 4;
  struct Asked {
    const RowQuestion* question;
    RowAnswer* answer;
  };

  void answer_some(const CudaLogits& logits, std::span<const RowQuestion> questions,
                   std::span<RowAnswer> answers);
  void add(Kind kind, const RowQuestion& question, RowAnswer& answer);
  void reserve(std::size_t rows, std::size_t changed, std::size_t changes);
  void launch(const CudaLogits& logits, std::size_t rows);
  void take_results();
  void take_score(std::size_t scored, RowAnswer& answer) const;

  std::shared_ptr<Gpu> gpu_;
  int width_;
  int top_;

  // Of the rows that are asked about now, kind by kind.
  std::vector<Asked> asked_[kKinds];
  std::vector<ReadRow> rows_;
  std::vector<TokenChange> changes_;

  DeviceBuffer<ReadRow> device_rows_;
  DeviceBuffer<TokenChange> device_changes_;
  DeviceBuffer<double> changed_;
  DeviceBuffer<Candidate> candidates_;
  DeviceBuffer<PartFound> parts_;
  DeviceBuffer<unsigned> finished_;
  // What comes back.
  DeviceBuffer<RowFound> found_;
  DeviceBuffer<ScoredToken> best_;
  DeviceBuffer<ExpBlock> blocks_;
  HostBuffer<ReadRow> host_rows_;
  HostBuffer<TokenChange> host_changes_;
  HostBuffer<RowFound> host_found_;
  HostBuffer<ScoredToken> host_best_;
  HostBuffer<ExpBlock> host_blocks_;
};

}  // namespace outrider::engine::cuda
