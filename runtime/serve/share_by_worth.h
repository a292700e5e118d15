#pragma once

#include <functional>
#include <span>

#include "runtime/decode/row_share.h"

namespace outrider::serve {

/// Shares the rows of a pass out among the sequences that draft, by what they are worth: the next row goes to the
/// sequence whose next drafted token is the likeliest to be accepted, as long as the expected tokens a second of all
/// sequences rise. With many sequences drafts get short, and go to those that are accepted; where a row costs more
/// than it gives, nobody drafts, which is plain decoding of all.
///
/// The k-th token of a draft is taken to be accepted with the k-th power of the sequence's share of accepted tokens so
/// far. A sequence alone drafts as much as its method wants.
/// @param sequences  on entry the most nodes of each, lowered to those that it gets
/// @param rows       the most of all together
/// @param seconds    of a pass with so many rows
void share_by_worth(std::span<decode::RowShare> sequences, int rows,
                    const std::function<double(int rows)>& seconds);

}  // namespace outrider::serve
