#include "data/store/shard_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/store/shard_format.h"
#include "data/store/shard_head.h"
#include "runtime/base/error.h"

namespace outrider::data {

ShardReader::ShardReader(const std::filesystem::path& path, const StoreIdentity& identity,
                         int shard)
    : ShardReader(hdf5::Reader(path), identity, shard) {}

ShardReader::ShardReader(hdf5::Reader file, const StoreIdentity& identity, int shard)
    : file_(std::move(file)), identity_(identity), shard_(shard) {
  check_head({kShardFormat, kShardVersion, shard, identity_}, file_);
  columns_ = read_columns(file_, identity_);
  first_position_.push_back(0);
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t tokens = columns_.prompts[i].size() + columns_.outputs[i].size();
    first_position_.push_back(first_position_.back() + tokens - 1);
  }
}

Trace ShardReader::trace(std::size_t i) const {
  Trace trace = columns_.trace(i, identity_.top_k);
  for (const int layer : identity_.layers) trace.states.push_back({layer, states(i, layer)});
  return trace;
}

std::vector<Bfloat16> ShardReader::states(std::size_t i, int layer) const {
  const auto& layers = identity_.layers;
  if (std::find(layers.begin(), layers.end(), layer) == layers.end()) {
    throw InputError(fmt::format("{}: has no hidden states of layer {}", file_.name(), layer));
  }
  return file_.read_rows<Bfloat16>(
      states_path(layer), {first_position_.back(), static_cast<std::uint64_t>(identity_.width)},
      first_position_[i], first_position_[i + 1] - first_position_[i]);
}

}  // namespace outrider::data
