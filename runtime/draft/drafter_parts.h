#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// The drafters that another one consists of: the functions of Drafter for all of them, and the time that each takes.
class DrafterParts {
 public:
  /// @param parts  at least one, of Verification::kCoupled
  /// @throws std::logic_error for others, whose drafts could not be rejected by a distribution of their own
  explicit DrafterParts(std::vector<std::unique_ptr<Drafter>> parts);

  std::size_t size() const { return parts_.size(); }
  Drafter& operator[](std::size_t i) const { return *parts_[i].drafter; }
  Drafter& back() const { return *parts_.back().drafter; }

  /// Asks one for its draft, timed.
  void draft(std::size_t i, const DraftContext& context, TokenTree& tree);

  // As of Drafter.
  /// The last part has the time that was not measured of the others.
  std::vector<DrafterSeconds> divide(double seconds) const;
  /// The last part's, and what only others count.
  std::vector<DrafterCount> counts() const;
  /// Starts a part again where a later one has to observe rows that it has observed.
  int start(std::span<const Token> text, int kept);
  bool needs_plain_text() const;
  void set_plain_text(const DraftContext& text, int prompt);
  engine::TapRequest wants() const;
  void observe(const engine::Pass& pass, std::span<const int> rows);
  bool wants_rejected() const;
  void observe_rejected(const engine::Pass& pass, std::span<const int> rows);

 private:
  struct Part {
    std::unique_ptr<Drafter> drafter;
    bool observes = false;
    double seconds = 0;
  };

  std::vector<Part> parts_;
};

}  // namespace outrider::draft
