#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/engine/text_step.h"
#include "runtime/sampling/draft_question.h"

namespace outrider::draft {

/// The passes of a parallel drafter over one sequence: real rows, which its KV cache commits, and after
/// the last of them masks or, with EAGLE-AR, drafted tokens, which it drops at the next text: the next pass
/// reads those that the text kept with the target's states. Nothing else is forwarded twice, and passes like
/// those before allocate nothing.
class ParallelSpecPasses {
 public:
  /// @param engine  of `model.layer`
  /// @param more    masks of a pass, or drafted tokens of a round that are forwarded, at most
  /// @throws std::logic_error for more masks than the model has, and for Medusa's heads
  ParallelSpecPasses(std::shared_ptr<const ParallelSpecModel> model,
                     std::shared_ptr<engine::Engine> engine, int more);

  /// The most tokens that the model takes.
  int context() const { return engine_->config().context; }
  /// Real rows in the cache.
  int slots() const { return cache_->length(); }
  /// The real rows of a text: those of all tokens but the first for EAGLE, but the last for Medusa over
  /// states, and of all tokens otherwise.
  int slots_of(int tokens) const { return model_->reads_states() ? tokens - 1 : tokens; }
  /// How many of the cache's rows another text has too that begins with the same `tokens` tokens.
  int slots_shared(int tokens) const;
  /// Replaces the cache's rows by the first `slots` of another one's over the same model.
  void copy_first(const ParallelSpecPasses& from, int slots);
  /// Drops the rows after the first `slots`.
  void keep(int slots) { cache_->truncate(slots); }
  /// Makes room for a text of so many tokens, at most `context`.
  void reserve(int tokens);
  /// The bytes of keys and values after that.
  std::int64_t bytes(int tokens) const;

  /// Forwards the text's real rows that the cache lacks, and masks after the last. Lives as long as its passes.
  class RealRowsStep : public engine::TextStep {
   public:
    /// @param states  [slots_of(text) - slots(), width] the target's states after its final norm, of the
    ///                text's tokens from number `slots()` on; none where the model reads no states
    /// @throws std::logic_error for a text without such rows, other numbers of states, and more masks than
    ///         announced
    RealRowsStep(ParallelSpecPasses& passes, std::span<const Token> text,
                 std::span<const float> states, int masks);
    void take(const engine::StepRows& rows) override;

   private:
    void add_chunk(engine::Pass& pass, int sequence, int first, int count) override;
    engine::Row real_row(std::size_t slot, std::size_t row) const;

    ParallelSpecPasses& passes_;
    std::span<const Token> text_;
    std::span<const float> states_;
    std::size_t first_slot_;  // whose state is the first
    int masks_;
  };
  /// The step in passes of its own.
  void forward(std::span<const Token> text, std::span<const float> states, int masks);
  /// A drafted token, and what it follows.
  struct DraftedRow {
    static constexpr int kText = -1;

    Token token;
    int parent;  // the number of the row that it follows, or kText: the last real one
  };
  /// Forwards drafted tokens, each with the state that the drafter itself gave at its parent. EAGLE-AR only. Lives as long
  /// as the pass.
  class DraftedStep : public engine::PassStep {
   public:
    DraftedStep(ParallelSpecPasses& passes, std::span<const DraftedRow> drafted)
        : passes_(passes), drafted_(drafted) {}
    void add_rows(engine::Pass& pass) override;
    void take(const engine::StepRows& rows) override;

   private:
    ParallelSpecPasses& passes_;
    std::span<const DraftedRow> drafted_;
  };
  /// The step in a pass of its own.
  void forward_drafted(std::span<const DraftedRow> drafted);
  /// How many drafted tokens have rows: the number that the next one's row gets.
  int rows() const { return cache_->held(); }
  /// For how many rows more there is room.
  int room() const { return cache_->capacity() - slots() - rows(); }
  /// Has tokens drafted ahead after rows that were forwarded last. EAGLE-AR only.
  /// @param draft  (what of: all but the rows)
  void forward_ahead(const engine::Ahead& form, std::span<const engine::RowBefore> before,
                     const std::function<void(sampling::DraftAhead&)>& draft);
  /// The last pass's logits of draft number `draft`: as many drafts as there were
  /// masks, and one more where the model reads tokens; after forward_drafted those of its row of this number.
  engine::LogitsRow logits(int draft) const { return taken_.logits(draft); }

 private:
  engine::KvCache& begin_reading(std::span<const Token> text, std::span<const float> states,
                                 int masks);
  std::span<float> own_state(int row);
  void add_own_states(const engine::StepRows& rows, int first, int count);

  std::shared_ptr<const ParallelSpecModel> model_;
  std::shared_ptr<engine::Engine> engine_;
  int most_masks_;  // of a pass
  int more_;        // rows after the text's, of a round
  std::size_t width_;
  std::unique_ptr<engine::KvCache> cache_;
  engine::TextOptions reading_;
  engine::Pass pass_;
  engine::StepRows taken_;    // of the last pass
  std::vector<float> pairs_;  // [rows of a pass, 2 width] where rows are pairs
  // EAGLE-AR: the drafter's own states, [width] each, of the last real row, then of those drafted; and of rows before
  // others that are drafted ahead.
  std::vector<float> own_, own_before_;
  std::vector<float> mask_pairs_;  // [masks, 2 width] likewise
};

}  // namespace outrider::draft
