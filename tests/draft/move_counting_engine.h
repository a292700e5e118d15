#pragma once

#include <memory>
#include <span>
#include <utility>

#include "tests/draft/counting_engine.h"

namespace outrider::test {

/// Whether rows of the path were moved: some lie right as they are.
inline bool moves_rows(std::span<const int> path) {
  return !path.empty() && path.back() >= static_cast<int>(path.size());
}

/// Counts the paths whose rows a device had moved when the choices were there.
class MoveCountingEngine : public CountingEngine {
 public:
  using CountingEngine::CountingEngine;
  std::unique_ptr<engine::RowReader> make_row_reader(
      const engine::RowReaderOptions& options) override {
    auto reader = counted().make_row_reader(options);
    if (reader == nullptr) return nullptr;
    return std::make_unique<Reader>(std::move(reader), moved);
  }

  int moved = 0;

 private:
  class Reader : public engine::RowReader {
   public:
    Reader(std::unique_ptr<engine::RowReader> reader, int& moved)
        : reader_(std::move(reader)), moved_(moved) {}
    void answer_drafts(const engine::Logits& logits, std::span<const engine::RowQuestion> questions,
                       std::span<engine::RowAnswer> answers,
                       std::span<const engine::AskedDraft> drafts) override {
      reader_->answer_drafts(logits, questions, answers, drafts);
      for (const engine::AskedDraft& draft : drafts)
        moved_ += moves_rows(draft.cache->moved()) ? 1 : 0;
    }

   private:
    std::unique_ptr<engine::RowReader> reader_;
    int& moved_;
  };
};

}  // namespace outrider::test
