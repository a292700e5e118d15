#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/decode/sequence.h"
#include "runtime/draft/token_tree.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_counts.h"
#include "runtime/sampling/token_mask.h"

namespace outrider::decode {

/// Token counts, for penalties, and the mask of allowed tokens after each node of a draft, as they are if its path is accepted.
/// With them the target's choices after all nodes can be asked for in one request, before any is known.
/// Allocates nothing for drafts like those before.
class ChoicesAfterNodes {
 public:
  /// @param sequence  must outlive it; its constraint is left as it was
  void begin(const draft::TokenTree& tree, Sequence& sequence);

  // Of a node that is not refused, without bounds on noise.

  sampling::SequenceSampling sampling(int node) const;
  sampling::TokenMask allowed(int node) const;

 private:
  const Sequence* sequence_ = nullptr;
  std::vector<sampling::TokenCounts> counts_;  // [nodes], if the sampler uses them
  std::vector<std::uint32_t> allowed_;         // [nodes, words]
  std::size_t words_ = 0;                      // of a mask; 0: all tokens are allowed
};

}  // namespace outrider::decode
