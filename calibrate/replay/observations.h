#pragma once

#include <cstddef>
#include <span>
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

  /// Begins an answer, which must outlive the replay.
  /// @param wants           the drafter's request
  /// @param wants_rejected  whether it observes the rows of rejected nodes too: then no row is forwarded
  ///                        before it is shown
  void begin(const Answer& answer, engine::TapRequest wants, bool wants_rejected = false);
  /// Shows the drafter the rows of the answer's next positions, up to `end`, if it observes any.
  /// @param end  at most the position of the answer's last token, which is never forwarded
  void show(std::size_t end, draft::Drafter& drafter);
  /// Shows the drafter rejected nodes of the draft after the positions shown, if it wants any.
  void show_rejected(const draft::TokenTree& tree, std::span<const int> rejected,
                     draft::Drafter& drafter);

 protected:
  /// Makes `pass` one of the answer's rows [first, first + rows), which continue those of the call
  /// before; the first is 0.
  /// @param request  for these rows; logits for those from the prompt's last row on
  virtual void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                         const engine::TapRequest& request, engine::Pass& pass) = 0;
  /// Makes `pass` one of a draft after the rows of the last call, of which none is kept.
  virtual void make_draft_pass(const draft::TokenTree& tree, const engine::TapRequest& request,
                               engine::Pass& pass) = 0;

 private:
  void next_pass(std::size_t end);

  const Answer* answer_ = nullptr;
  engine::TapRequest wants_;
  bool wants_rejected_ = false;
  engine::Pass pass_;
  engine::Pass draft_pass_;
  std::size_t first_ = 0;  // position of the first row of the pass
  std::size_t shown_ = 0;  // positions
  std::vector<int> rows_;  // of `show`
};

}  // namespace outrider::calibrate
