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

/// Reads rows on the host: one on the caller's thread, more of them on all of the engine's. A call with as many rows as
/// one before allocates nothing on one thread.
class CpuChooser final : public Chooser {
 public:
  CpuChooser(engine::Engine& engine, std::optional<int> top);

  void answer(const engine::Logits& logits, std::span<AskedRow> rows) override;

 private:
  /// What a thread needs of its own.
  struct Reader {
    TokenChoice choice;
    std::optional<RowScorer> scorer;
    std::vector<float> masked = {};  // a row's logits
  };
  Reader new_reader() const;
  Reader& reader_of(int thread);
  static void answer_one(const engine::Logits& of_pass, Reader& reader, AskedRow& row);

  engine::Engine& engine_;
  std::optional<int> top_;
  std::mutex lock_;  // of `readers_`
  std::deque<Reader>
      readers_;  // by thread: of the caller's, and of the others once they are needed
};

}  // namespace outrider::sampling
