#pragma once

#include <memory>

#include "calibrate/replay/observations.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Observations from the target, which forwards answers again, many rows at a time: row-pure, so
/// the bits are those of decoding.
class Recomputed : public Observations {
 public:
  /// @param target  the one that made the answers; must outlive it
  explicit Recomputed(engine::Engine& target) : target_(target) {}

 private:
  void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                 const engine::TapRequest& request, engine::Pass& pass) override;
  void make_draft_pass(const draft::TokenTree& tree, const engine::TapRequest& request,
                       engine::Pass& pass) override;

  engine::Engine& target_;
  std::unique_ptr<engine::KvCache> cache_;  // of the current answer
};

}  // namespace outrider::calibrate
