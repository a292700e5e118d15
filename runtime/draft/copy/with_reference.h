#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/draft/copy/reference_index.h"
#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/part_tree.h"

namespace outrider::draft {

struct WithReferenceOptions {
  /// The fewest matching tokens that are continued, at the start of a text: shorter matches in a large reference are
  /// chance. It falls by one after each draft of the reference with an accepted token, down to `least`, and rises by
  /// one after each other draft, up to this.
  int shortest = 4;
  int longest = 10;  // at most ReferenceIndex::kLongest
  int least = 2;
  /// How many times as many tokens as in the text have to match in the reference: what the text itself continues
  /// with is far more likely.
  static constexpr int kTimesAsLong = 3;
  /// Tokens of a draft: the first number in each text, twice as many after a draft that was accepted as a whole, up
  /// to the second, and otherwise as many as were accepted. All of these were chosen by replay (results/references.md).
  static constexpr int kFirstDraft = 2, kLongestDraft = 16;
};

/// A drafter that copies from the text, and from a user's own texts where those match much further back: what follows the
/// longest match there is verified in place of its draft, if that is kTimesAsLong the match in the text that the
/// draft continues. Without a draft any match that is long enough counts. The drafter is told of its own draft all the same.
class WithReference : public ForwardingDrafter {
 public:
  /// @param copier  of Verification::kCoupled, whose nodes say which position they are copied from
  WithReference(std::unique_ptr<Drafter> copier, std::shared_ptr<const ReferenceIndex> reference,
                const WithReferenceOptions& options);

  void verified(std::span<const int> accepted, Token next) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  bool copies_from_reference(const DraftContext& context, TokenTree& tree);

  std::shared_ptr<const ReferenceIndex> reference_;
  WithReferenceOptions options_;
  int shortest_;                                    // match that is continued now
  int length_ = WithReferenceOptions::kFirstDraft;  // of the next draft
  int last_drafted_ = 0;  // tokens of the last draft; 0: it came from the text
  PartTree copied_;       // the copier's
  // Buffers of `draft`.
  std::vector<std::uint32_t> places_;
  std::vector<Token> continuation_;
};

}  // namespace outrider::draft
