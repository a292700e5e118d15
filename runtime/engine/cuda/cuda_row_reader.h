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
  /// Candidates of 56 rows of 49,152 logits.
  static constexpr std::size_t kCandidateBytes = std::size_t{64} << 20;

  /// @param top              logits that scores keep, at most the width
  /// @param candidate_bytes  for the candidates of rows that are read side by side, at least those of one row
  CudaRowReader(std::shared_ptr<Gpu> gpu, int width, int top,
                std::size_t candidate_bytes = kCandidateBytes);

  void answer(const Logits& logits, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers) override;

 private:
  /// Rows that the device is asked about at once.
  static constexpr std::size_t kMostRows = 64;
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
  void reserve(std::size_t rows, std::size_t changed);
  void launch(const CudaLogits& logits, std::size_t rows);
  void take_results();
  void take_score(std::size_t scored, RowAnswer& answer) const;

  std::shared_ptr<Gpu> gpu_;
  int width_;
  int top_;
  std::size_t most_with_candidates_;  // rows side by side

  // Of the rows that are asked about now, kind by kind.
  std::vector<Asked> asked_[kKinds];
  std::vector<ReadRow> rows_;
  std::vector<TokenChange> changes_;
  std::vector<std::uint32_t> allowed_;

  DeviceBuffer<ReadRow> device_rows_;
  DeviceBuffer<TokenChange> device_changes_;
  DeviceBuffer<std::uint32_t> device_allowed_;
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
  HostBuffer<std::uint32_t> host_allowed_;
  HostBuffer<RowFound> host_found_;
  HostBuffer<ScoredToken> host_best_;
  HostBuffer<ExpBlock> host_blocks_;
};

}  // namespace outrider::engine::cuda
