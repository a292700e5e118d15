#include "data/store/shard_writer.h"

#include "data/store/shard_columns.h"
#include "data/store/shard_content.h"
#include "data/store/shard_format.h"
#include "data/store/shard_head.h"

namespace outrider::data {
namespace {

/// Writes the hidden states of one layer, the traces concatenated.
void write_states(std::span<const Trace> traces, std::size_t layer, const StoreIdentity& identity,
                  hdf5::Writer& file) {
  std::vector<Bfloat16> values;
  for (const Trace& trace : traces) {
    const std::vector<Bfloat16>& more = trace.states[layer].values;
    values.insert(values.end(), more.begin(), more.end());
  }
  const auto width = static_cast<std::uint64_t>(identity.width);
  file.add(states_path(identity.layers[layer]), {values.size() / width, width},
           std::span<const Bfloat16>(values), hdf5::Packing::kPlain);
}

}  // namespace

EncodedShard encode_shard(const StoreIdentity& identity, int shard, std::span<const Trace> traces) {
  const ShardColumns columns = columns_of(traces, identity);
  hdf5::Writer file;
  write_head({kShardFormat, kShardVersion, shard, identity}, file);
  write_columns(columns, identity, file);
  for (std::size_t i = 0; i < identity.layers.size(); ++i) write_states(traces, i, identity, file);

  EncodedShard encoded;
  encoded.bytes = file.finish();
  // Read back, so that the hash is of what a reader gets.
  encoded.content_hash = content_hash(hdf5::Reader(encoded.bytes, "shard in memory"));
  return encoded;
}

}  // namespace outrider::data
