#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/sampling/chooser.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::sampling {

/// Reads rows on the host: a target's rows one on the caller's thread, more of them on all of the engine's; a drafter's one
/// after the other. A call with as many rows as one before allocates nothing on one thread.
class CpuChooser final : public Chooser {
 public:
  /// @param kernels  must outlive it
  /// @param top      nothing: no scores and sums are asked for
  /// @param engine   whose threads answer; null: the caller's does
  CpuChooser(HeadVocabulary vocabulary, const engine::ScoreKernels& kernels, std::optional<int> top,
             engine::Engine* engine = nullptr);

  void answer(const engine::Logits& logits, std::span<AskedRow> rows) override;
  void answer(const engine::Logits& logits, const SequenceSampling& sampling,
              std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers) override;
  void distribute(const engine::LogitsRow& row, const SequenceSampling& sampling,
                  Distribution& out) override {
    readers_.front().choice.distribute(sampling, this->row(row), out);
  }

 private:
  /// What a thread needs of its own.
  struct Reader {
    TokenChoice choice;
    std::optional<RowScorer> scorer;
    std::vector<float> masked = {};  // a row's logits
  };
  Reader new_reader() const;
  Reader& reader_of(int thread);
  void answer_one(const engine::Logits& of_pass, Reader& reader, AskedRow& row) const;
  void answer_one(std::span<const float> logits, const SequenceSampling& sampling,
                  const DraftQuestion& question, DraftAnswer& answer);

  const engine::ScoreKernels& kernels_;
  std::optional<int> top_;
  engine::Engine* engine_;
  std::mutex lock_;  // of `readers_`
  std::deque<Reader>
      readers_;  // by thread: of the caller's, and of the others once they are needed
};

}  // namespace outrider::sampling
