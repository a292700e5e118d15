#pragma once

#include <functional>
#include <span>

#include "runtime/decode/row_share.h"
#include "runtime/serve/past_drafts.h"

namespace outrider::serve {

/// Shares the rows of a pass out among the sequences that draft, by what they are worth: they go where they raise the
/// expected tokens a second of all sequences the most, as long as they raise them. With many sequences drafts get short,
/// and go to those that are accepted; where rows, or drafting itself, cost more than they give, nobody is asked for a
/// draft, which is plain decoding of all.
///
/// The k-th token of a draft is taken to be accepted with the k-th power of the sequence's share of accepted tokens so
/// far. Drafts are made one after the other: each drafter that is asked adds its seconds. A text alone drafts as much as
/// its method wants.
/// @param sequences  on entry the most nodes of each, lowered to those that it gets
/// @param past       [sequences] other texts of each one's method
/// @param texts      of the batch: of the sequences, and of those that do not draft in this pass since they still read,
///                   which wait for it meanwhile
/// @param rows       the most of all together
/// @param seconds    of a pass with so many rows
void share_by_worth(std::span<decode::RowShare> sequences, std::span<const PastDrafts* const> past,
                    int texts, int rows, const std::function<double(int rows)>& seconds);

}  // namespace outrider::serve
