#pragma once

#include "runtime/decode/decode_result.h"

namespace outrider::serve {

/// What drafting came to in texts of one method, the latest of which count most: what a new text is taken to begin with.
class PastDrafts {
 public:
  void add(const decode::DecodeStats& text);

  /// The share of drafted tokens that are accepted, of these texts together with another one, which counts more the more
  /// it has drafted. Half of them where nothing is known.
  double acceptance(const decode::DecodeStats& text) const;
  /// The share of rounds that have a draft of those in which a drafter is asked, likewise. All where nothing is known.
  double with_draft(const decode::DecodeStats& text) const;
  /// Seconds that the next draft of a text takes; what only a first one does, the reading of the prompt, is divided among
  /// the next rounds. 0 where nothing is known.
  double seconds(const decode::DecodeStats& text) const;

 private:
  double drafted_ = 0;
  double accepted_ = 0;
  double rounds_ = 0;
  double with_draft_ = 0;
  double first_ = 0;  // rounds that were the first of their text
  double first_seconds_ = 0;
  double seconds_ = 0;  // of the others
};

}  // namespace outrider::serve
