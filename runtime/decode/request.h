#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/row_share.h"
#include "runtime/decode/sequence.h"
#include "runtime/draft/drafter.h"
#include "runtime/sampling/sampler.h"

namespace outrider::decode {

/// An answer to be decoded.
struct Request {
  std::vector<Token> text;    // everything before the answer
  sampling::Sampler sampler;  // with the sequence's seed
  DecodeLimits limits = {};   // without prefill_chunk and `interrupted`, which are the batch's
  int context = 0;            // the most tokens that the text may reach
  /// Tokens that the conversation's later turns may need room for, so that its cache is not copied into a larger one;
  /// 0: this answer's.
  int reserve = 0;

  /// Makes the sequence's drafter, if it takes over none; empty: plain decoding.
  std::function<std::unique_ptr<draft::Drafter>()> new_drafter = {};
  /// Nodes that its drafts need room for: draft::DrafterTraits::most_nodes.
  int draft_nodes = draft::DrafterTraits::kUsualNodes;
  /// Names what `new_drafter` makes, method and settings. A sequence that goes on from a finished one takes over the
  /// drafter of that, with all that it learned, where the names are equal; empty: never.
  std::string drafter_name = {};

  /// Hand the scores of each row whose token is taken to the listener; only where BatchOptions::top.
  bool scores = false;
  /// Without a drafter, forwards a given answer (DecodeLimits::given) in chunks, as a prompt.
  bool reads_given = false;
  /// The finished sequence whose next turn this is: takes over its cache even where the texts differ later.
  std::optional<SequenceId> after = {};
};

}  // namespace outrider::decode
