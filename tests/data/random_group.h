#pragma once

#include <cstdint>
#include <vector>

#include "data/store/group_writer.h"
#include "data/store/trace_store.h"

namespace outrider::test {

/// "draft": one number per trace, one per output token, and eight per position.
data::GroupSpec random_group_spec();

/// Its values for one shard, a function of the shard's number and shape only.
struct RandomGroupValues {
  std::vector<float> distances;
  std::vector<Bfloat16> features;
  std::vector<std::int32_t> lengths;
};
RandomGroupValues random_group_values(const data::TraceStore& store, int shard);

void write_random_group(data::GroupWriter& writer, const data::TraceStore& store, int shard);

}  // namespace outrider::test
