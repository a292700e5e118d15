#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// The drafters that another one consists of: calls them all, and times each.
class DrafterParts {
 public:
  /// @param parts  at least one, of Verification::kCoupled
  /// @throws std::logic_error for one of Verification::kRejection: together they have no distribution
  explicit DrafterParts(std::vector<std::unique_ptr<Drafter>> parts);

  std::size_t size() const { return parts_.size(); }
  Drafter& operator[](std::size_t i) const { return *parts_[i].drafter; }
  Drafter& back() const { return *parts_.back().drafter; }

  /// Asks one for its draft.
  void draft(std::size_t i, const DraftContext& context, TokenTree& tree);
  /// Tells one what was accepted of its draft.
  void verified(std::size_t i, std::span<const int> accepted, Token next);

  // Forwarded to every part; see Drafter.
  /// Time that was not measured is counted as the last part's.
  std::vector<DrafterSeconds> divide(double seconds) const;
  /// The last part's counts, then those that only other parts have.
  std::vector<DrafterCount> counts() const;
  /// Starts a part again if a later one needs earlier rows than it does.
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
  /// Calls `work` with the drafter, and adds the time that it takes to the drafter's.
  template <typename Work>
  static void time(Part& part, const Work& work);

  std::vector<Part> parts_;
};

}  // namespace outrider::draft
