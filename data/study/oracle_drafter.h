#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/part_tree.h"

namespace outrider::study {

/// Drafts with another drafter exactly the tokens that will be accepted, none where the first would not be: the lower bound
/// on latency to which DISCO compares (Mamou et al. 2024, section 2). It knows the one text that it is made for.
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
  bool is_asked_ = false;  // the other one, in the round at hand
  draft::PartTree drafted_;
};

}  // namespace outrider::study
