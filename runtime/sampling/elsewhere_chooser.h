#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/engine/row_reader.h"
#include "runtime/sampling/chooser.h"

namespace outrider::sampling {

/// Asks the engine's reader of rows about those that lie elsewhere, and reads those on the host as CpuChooser does.
class ElsewhereChooser final : public Chooser {
 public:
  /// @param on_host  for logits on the host
  ElsewhereChooser(std::unique_ptr<engine::RowReader> reader, std::unique_ptr<Chooser> on_host,
                   bool has_scores);

  void answer(const engine::Logits& logits, std::span<AskedRow> rows) override {
    answer_drafts(logits, rows, {});
  }
  void answer_drafts(const engine::Logits& logits, std::span<AskedRow> rows,
                     std::span<const engine::AskedDraft> drafts) override;

 private:
  std::unique_ptr<engine::RowReader> reader_;
  std::unique_ptr<Chooser> on_host_;
  bool has_scores_;
  std::vector<engine::RowQuestion> questions_;
  std::vector<engine::RowAnswer> answers_;
  std::vector<std::vector<engine::LogitChange>> changes_;  // of each question
};

/// What the penalties and the bias of a sequence change.
/// @param changes  ascending tokens
void list_changes(const SequenceSampling& sampling, std::vector<engine::LogitChange>& changes);

}  // namespace outrider::sampling
