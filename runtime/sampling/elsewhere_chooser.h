#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/engine/ahead_reader.h"
#include "runtime/engine/row_reader.h"
#include "runtime/sampling/chooser.h"

namespace outrider::sampling {

/// Asks the engine's reader of rows about those that lie elsewhere, and reads those on the host as CpuChooser does.
class ElsewhereChooser final : public Chooser {
 public:
  /// @param reader   of the vocabulary's logits
  /// @param on_host  for logits on the host, and for distributions
  /// @param ahead    of the same logits; null: nothing is drafted ahead
  ElsewhereChooser(HeadVocabulary vocabulary, std::unique_ptr<engine::RowReader> reader,
                   std::unique_ptr<Chooser> on_host, bool has_scores,
                   std::unique_ptr<engine::AheadReader> ahead = nullptr);

  void answer(const engine::Logits& logits, std::span<AskedRow> rows) override {
    answer_drafts(logits, rows, {});
  }
  void answer_drafts(const engine::Logits& logits, std::span<AskedRow> rows,
                     std::span<const engine::AskedDraft> drafts) override;

  void answer(const engine::Logits& logits, const SequenceSampling& sampling,
              std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers) override;
  bool drafts_ahead() const override { return ahead_ != nullptr; }
  void answer_ahead(const DraftAhead& ahead, const SequenceSampling& sampling,
                    std::span<const DraftQuestion> questions,
                    std::span<DraftAnswer> answers) override;

  void distribute(const engine::LogitsRow& row, const SequenceSampling& sampling,
                  Distribution& out) override {
    on_host_->distribute(row, sampling, out);
  }

 private:
  template <typename Answer>
  void answer_elsewhere(const SequenceSampling& sampling, std::span<const DraftQuestion> questions,
                        std::span<DraftAnswer> answers, const Answer& answer);
  void list_changes(const SequenceSampling& sampling,
                    std::vector<engine::LogitChange>& changes) const;
  void take(const SequenceSampling& sampling, const DraftQuestion& question,
            DraftAnswer& answer) const;

  std::unique_ptr<engine::RowReader> reader_;
  std::unique_ptr<Chooser> on_host_;
  bool has_scores_;
  std::unique_ptr<engine::AheadReader> ahead_;
  std::vector<engine::RowQuestion> questions_;
  std::vector<engine::RowAnswer> found_;  // at least as many
  std::vector<std::vector<engine::LogitChange>>
      changes_;  // of each question; a drafter's are the first
};

}  // namespace outrider::sampling
