#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/part_tree.h"

namespace outrider::draft {

/// A drafter that consists of others, its parts: calls them all, and times each. Each fills a tree of its own; which of these
/// become the tree that is verified is up to the class that derives from it. Every part that was asked is told what was
/// accepted of its own tree, whichever part's nodes had these tokens.
class ComposedDrafter : public Drafter {
 public:
  /// @param parts  at least one, of Verification::kCoupled; the last one gives the name
  /// @throws std::logic_error for one of Verification::kRejection: together they have no distribution
  explicit ComposedDrafter(std::vector<std::unique_ptr<Drafter>> parts);

  std::string name() const override { return parts_.back().drafter->name(); }
  /// What all parts want, and the nodes of all, which may draft into one tree.
  DrafterTraits traits() const override;
  /// Time that was not measured is counted as the last part's. The counts are the last part's, then those that only other
  /// parts have.
  DrafterReport report(double seconds) const override;
  std::int64_t text_bytes(int tokens) const override;
  /// Rejected rows are of all parts' nodes: what the target expects after a token does not depend on who proposed it.
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;
  void verified(std::span<const int> accepted, Token next) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) final;
  /// Starts a part again if a later one needs earlier rows than it does.
  int begin(const TextStart& text) override;
  void take_over(const Drafter& like, int tokens) override;
  /// Asks parts for their drafts and merges those that are to be verified.
  virtual void compose(const DraftContext& context, TokenTree& tree) = 0;

  std::size_t num_parts() const { return parts_.size(); }
  /// Asks a part for its draft, of at most so many nodes; it stays apart until it is merged.
  const TokenTree& draft_with(std::size_t part, const DraftContext& context, const TokenTree& tree,
                              int nodes);
  const TokenTree& draft_with(std::size_t part, const DraftContext& context,
                              const TokenTree& tree) {
    return draft_with(part, context, tree, tree.limits().nodes);
  }
  /// Adds its nodes to the tree.
  void merge(std::size_t part, TokenTree& tree) { parts_[part].tree.merge_into(tree); }

 private:
  struct Part {
    std::unique_ptr<Drafter> drafter;
    bool observes = false;
    bool observes_rejected = false;
    double seconds = 0;
    PartTree tree = {};
    bool was_asked = false;  // in this round
  };
  /// Calls `work` with the drafter, and adds the time that it takes to the drafter's.
  template <typename Work>
  static void time(Part& part, const Work& work);

  std::vector<Part> parts_;
};

}  // namespace outrider::draft
