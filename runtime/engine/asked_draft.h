#pragma once

#include <cstddef>
#include <span>

#include "runtime/engine/pass.h"

namespace outrider::engine {

/// A draft whose rows are all asked about at once. An accepted row's child is accepted when its token is the choice after the
/// row, so that an engine can follow its choices down the draft itself, before the host has read one.
struct AskedDraft {
  KvCache* cache;              // of its sequence, which has no other rows that are not committed
  std::span<const Row> rows;   // of the pass, the root first, which follows the committed tokens
  int first_row;               // of these, in the pass
  std::size_t first_question;  // about these, in their order
};

}  // namespace outrider::engine
