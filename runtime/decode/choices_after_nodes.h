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

/// What the target's choices after the nodes of a draft depend on besides logits, each once the nodes above and its own token
/// are part of the text: the counts of tokens, for penalties, and which tokens may come next. So the choices after all nodes
/// can be asked for before any is known. Allocates nothing for drafts like those before.
class ChoicesAfterNodes {
 public:
  /// @param sequence  must outlive it; what its answer has to be is left as it was
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
