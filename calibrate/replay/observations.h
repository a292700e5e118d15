#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/tap_request.h"

namespace outrider::calibrate {

/// The observations of drafters during decoding of answers: the same rows with the same numbers, in
/// passes that may differ from those of decoding. Only the current pass is kept.
class Observations {
 public:
  virtual ~Observations() = default;

  /// Begins an answer, which must outlive the replay. @param wants  the drafter's request
  void begin(const Answer& answer, engine::TapRequest wants);
  /// Shows the drafter the rows of the answer's next positions, up to `end`, if it observes any.
  /// @param end  at most the position of the answer's last token, which is never forwarded
  void show(std::size_t end, draft::Drafter& drafter);

 protected:
  /// Makes `pass` one of the answer's rows [first, first + rows), which continue those of the call
  /// before; the first is 0.
  /// @param request  for these rows; logits for those from the prompt's last row on
  virtual void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                         const engine::TapRequest& request, engine::Pass& pass) = 0;

 private:
  void next_pass();

  const Answer* answer_ = nullptr;
  engine::TapRequest wants_;
  engine::Pass pass_;
  std::size_t first_ = 0;  // position of the first row of the pass
  std::size_t shown_ = 0;  // positions
  std::vector<int> rows_;  // of `show`
};

}  // namespace outrider::calibrate
