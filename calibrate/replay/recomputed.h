#pragma once

#include <memory>

#include "calibrate/replay/observations.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Observations of the target itself, which forwards answers again, many rows at a time: row-pure, it
/// gives the bits that decoding saw.
class Recomputed : public Observations {
 public:
  /// @param target  the one that made the answers; must outlive it
  explicit Recomputed(engine::Engine& target) : target_(target) {}

 private:
  void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                 const engine::TapRequest& request, engine::Pass& pass) override;

  engine::Engine& target_;
  std::unique_ptr<engine::KvCache> cache_;  // of the answer under way
};

}  // namespace outrider::calibrate
