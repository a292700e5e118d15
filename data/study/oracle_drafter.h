#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/part_tree.h"

namespace outrider::study {

/// The oracle of DISCO, its lower bound on latency (Mamou et al. 2024, section 2): a round drafts, with another drafter, exactly
/// the tokens that will be accepted, and none where the first would be rejected. It is made for one text, which it knows.
class OracleDrafter : public draft::ForwardingDrafter {
 public:
  /// @param inner     drafts a chain
  /// @param accepted  [tokens of the answer after its first] 1: what `inner` drafts there is accepted; see DraftOutcomes
  OracleDrafter(std::unique_ptr<draft::Drafter> inner, std::vector<std::uint8_t> accepted)
      : ForwardingDrafter(std::move(inner)), accepted_(std::move(accepted)) {}

  void verified(std::span<const int> kept, Token next) override;

 protected:
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override;
  int begin(const draft::TextStart& text) override;

 private:
  std::vector<std::uint8_t> accepted_;
  std::size_t first_ = 0;  // position of the token that `accepted_` begins with
  bool is_asked_ = false;  // whether `inner` drafts in this round
  draft::PartTree drafted_;
};

}  // namespace outrider::study
