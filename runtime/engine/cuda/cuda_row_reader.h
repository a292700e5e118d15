#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/cuda/cuda_logits.h"
#include "runtime/engine/cuda/row_memory.h"
#include "runtime/engine/row_reader.h"

namespace outrider::engine::cuda {

/// Reads rows on the device that computed them: what is asked goes there in one copy, and what was found comes back in one.
class CudaRowReader final : public RowReader {
 public:
  /// Candidates of 56 rows of 49,152 logits.
  static constexpr std::size_t kCandidateBytes = std::size_t{64} << 20;

  /// @param num_logits       of a row
  /// @param candidate_bytes  for the candidates of rows that are read side by side, at least those of one row
  CudaRowReader(std::shared_ptr<Gpu> gpu, int num_logits, const RowReaderOptions& options,
                std::size_t candidate_bytes = kCandidateBytes);

  void answer(const Logits& logits, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers) override;

 private:
  /// Rows that the device is asked about at once.
  static constexpr std::size_t kMostRows = 64;
  /// How a row is read; rows of one kind are read together.
  enum class Kind : std::uint8_t {
    kLargest,
    kByNoise,
    kFiltered,
    kRanked,
    kRankedFiltered,
    kSummed,
    kSummedWithBest,
    kScored
  };
  static constexpr std::size_t kKinds = 8;
  static bool is_ranked(Kind kind) {
    return kind == Kind::kRanked || kind == Kind::kRankedFiltered;
  }
  static bool is_summed(Kind kind) { return kind >= Kind::kSummed; }
  struct Asked {
    const RowQuestion* question;
    RowAnswer* answer;
  };

  void answer_some(const CudaLogits& logits, std::span<const RowQuestion> questions,
                   std::span<RowAnswer> answers);
  bool has_candidates(Kind kind) const;
  std::size_t asked(Kind kind) const { return asked_[static_cast<std::size_t>(kind)].size(); }
  void add(Kind kind, const RowQuestion& question, RowAnswer& answer);
  void prepare(std::size_t changed);
  void launch(const CudaLogits& logits);
  void take_results();
  void take_ranked(std::size_t place, int count, RowAnswer& answer) const;
  void take_best(std::size_t place, RowAnswer& answer) const;
  void take_sums(std::size_t place, RowAnswer& answer) const;

  std::shared_ptr<Gpu> gpu_;
  int num_logits_;
  int width_;  // that are read
  int top_;
  DeviceBuffer<int> tokens_;          // empty: logit v is of token v
  std::size_t most_with_candidates_;  // rows side by side

  // Of the rows that are asked about now, kind by kind.
  std::vector<Asked> asked_[kKinds];
  std::vector<ReadRow> rows_;
  std::vector<TokenChange> changes_;
  std::vector<std::uint32_t> allowed_;
  int most_ranked_ = 0;

  RowMemory memory_;
};

}  // namespace outrider::engine::cuda
