#pragma once

#include <vector>

#include "data/store/shard_plan.h"
#include "data/store/store_identity.h"
#include "data/trace.h"

namespace outrider::test {

/// An identity whose traces are small: vocabulary 300, width 8, top 4.
data::StoreIdentity small_identity(std::vector<int> layers = {});

/// Random traces of the n-th conversation of a plan: one or two turns, a function of `conversation` only.
/// Every ninth conversation has none.
std::vector<data::Trace> random_conversation(const data::StoreIdentity& identity,
                                             std::int64_t conversation);

/// All traces of one shard.
std::vector<data::Trace> random_shard(const data::StoreIdentity& identity,
                                      const data::ShardPlan& plan, int shard);

/// Expects two traces to be equal, bit for bit.
void expect_equal(const data::Trace& one, const data::Trace& other);

}  // namespace outrider::test
