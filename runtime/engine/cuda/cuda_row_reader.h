#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/cuda/ahead_args.h"
#include "runtime/engine/cuda/cuda_draft_follower.h"
#include "runtime/engine/cuda/cuda_logits.h"
#include "runtime/engine/cuda/pass_graphs.h"
#include "runtime/engine/cuda/row_memory.h"
#include "runtime/engine/row_reader.h"

namespace outrider::engine::cuda {

/// Where rows of logits lie on the device.
struct CudaRows {
  const float* logits;  // [.., stride]
  std::size_t stride;
};

/// Reads rows on the device that computed them: what is asked goes there in one copy, and what was found comes back in one.
class CudaRowReader final : public RowReader {
 public:
  /// Candidates of 56 rows of 49,152 logits.
  static constexpr std::size_t kCandidateBytes = std::size_t{64} << 20;

  /// @param num_logits       of a row
  /// @param candidate_bytes  for the candidates of rows that are read side by side, at least those of one row
  CudaRowReader(std::shared_ptr<Gpu> gpu, int num_logits, const RowReaderOptions& options,
                std::size_t candidate_bytes = kCandidateBytes);

  /// Follows those drafts whose rows the device is asked about at once.
  void answer_drafts(const Logits& logits, std::span<const RowQuestion> questions,
                     std::span<RowAnswer> answers, std::span<const AskedDraft> drafts) override;

  /// Rows that the device is asked about at once.
  static constexpr std::size_t kMostRows = FollowedPath::kMost;

  // For rows that come to be level by level: questions that are alike, each about the row that it names of its level's logits.

  /// @throws std::logic_error for logits that no pass of this device left, or of another width
  const CudaLogits& checked(const Logits& logits) const;
  /// @param questions, answers  must live until `take_results`; at most kMostRows
  /// @throws std::logic_error for a choice by noise among the logits of some tokens
  void begin(std::span<const RowQuestion> questions, std::span<RowAnswer> answers);
  /// Copies the questions to the device.
  void send();
  /// Launches what answers `count` questions from number `first` on.
  void read(const CudaRows& rows, std::size_t first, std::size_t count);
  /// Where the answers from number `first` on will be.
  FoundLevel found_from(std::size_t first) const;
  /// Copies what was found to the host, which takes it once the device has been waited for.
  void fetch();
  void take_results();
  /// What decides which launches answer the questions about rows of these logits: it fills the first kFormNumbers numbers of
  /// `PassForm::more`.
  PassForm form(const CudaLogits& logits) const;
  static constexpr std::size_t kFormNumbers = 11;
  /// How often memory that launches name has moved.
  int moves() const { return memory_.moves; }

 private:
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
  /// Whether what is found about a row of this kind has the choice that is asked for.
  static bool chooses(Kind kind, const RowQuestion& question) {
    return !is_summed(kind) || question.wants_likeliest();
  }
  struct Asked {
    const RowQuestion* question;
    RowAnswer* answer;
  };

  /// Where the next rows of a kind are among those of all.
  struct Place {
    std::size_t row = 0, ranked = 0, summed = 0, with_best = 0;
    void pass(Kind kind, std::size_t count);
  };

  bool has_candidates(Kind kind) const;
  std::size_t asked(Kind kind) const { return asked_[static_cast<std::size_t>(kind)].size(); }
  void add(Kind kind, const RowQuestion& question, RowAnswer& answer);
  void prepare(std::size_t changed);
  void check(const Logits& logits, std::span<const RowQuestion> questions) const;
  ReadArgs args_of(const CudaRows& rows, const Place& at, std::size_t count) const;
  void launch(Kind kind, ReadArgs args);
  void launch_in_turns(Kind kind, const CudaRows& rows, std::size_t count, Place& at);
  void launch(const CudaRows& rows);
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
  std::vector<int> choices_;  // [questions] number of the row that has its choice
  std::vector<TokenChange> changes_;
  std::vector<std::uint32_t> allowed_;
  int most_ranked_ = 0;

  RowMemory memory_;
  CudaDraftFollower follower_;
  PassGraphs graphs_;
  int moves_ = 0;  // of the memory that these name
};

}  // namespace outrider::engine::cuda
