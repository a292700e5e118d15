#include "tests/data/random_group.h"

#include <random>

namespace outrider::test {

data::GroupSpec random_group_spec() {
  using hdf5::NumberType;
  return {"draft",
          {{"tv", data::RowsOf::kOutput, NumberType::kFloat32, 1},
           {"features", data::RowsOf::kPosition, NumberType::kBfloat16, 8},
           {"length", data::RowsOf::kTrace, NumberType::kInt32, 1}},
          {{"draft", "a.h5"}}};
}

RandomGroupValues random_group_values(const data::TraceStore& store, int shard) {
  const data::ShardEntry& entry = store.manifest().shards.at(shard);
  std::minstd_rand random(static_cast<unsigned>(shard) + 1);
  RandomGroupValues values;
  for (std::int64_t i = 0; i < entry.output_tokens; ++i)
    values.distances.push_back(static_cast<float>(random() % 1000) / 1000);
  const std::int64_t positions = entry.prompt_tokens + entry.output_tokens - entry.traces;
  for (std::int64_t i = 0; i < 8 * positions; ++i)
    values.features.push_back(float_to_bfloat16(static_cast<float>(random() % 100)));
  for (std::int64_t i = 0; i < entry.traces; ++i)
    values.lengths.push_back(static_cast<std::int32_t>(random() % 50));
  return values;
}

void write_random_group(data::GroupWriter& writer, const data::TraceStore& store, int shard) {
  const RandomGroupValues values = random_group_values(store, shard);
  const std::vector<std::span<const std::byte>> bytes = {std::as_bytes(std::span(values.distances)),
                                                         std::as_bytes(std::span(values.features)),
                                                         std::as_bytes(std::span(values.lengths))};
  writer.write(shard, bytes);
}

}  // namespace outrider::test
