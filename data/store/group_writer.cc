#include "data/store/group_writer.h"

#include <fmt/core.h>

#include <stdexcept>

#include "data/store/shard_content.h"
#include "data/store/shard_head.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

using hdf5::Packing;

const TraceStore& finished(const TraceStore& store) {
  const std::size_t missing = store.missing().size();
  if (missing == 0) return store;
  throw InputError(fmt::format(
      "{}: {} of {} shards are missing; finish it with the command that started it, then add to it",
      store.folder().string(), missing, store.manifest().plan.shards()));
}

ShardPlan part_of(ShardPlan plan, int part, int parts) {
  plan.part = part;
  plan.parts = parts;
  return plan;
}

}  // namespace

GroupWriter::GroupWriter(const TraceStore& store, const GroupSpec& spec, int part, int parts,
                         engine::Place place)
    : base_(finished(store).manifest().shards),
      columns_(spec.columns),
      files_(store.folder() / group_folder_name(spec.name), group_identity(store.manifest(), spec),
             part_of(store.manifest().plan, part, parts), std::move(place)) {}

void GroupWriter::write(int shard, std::span<const std::span<const std::byte>> values) {
  if (values.size() != columns_.size())
    throw std::logic_error("expected one list of values per column");
  const ShardEntry& entry = base_.at(shard);
  hdf5::Writer file;
  write_head({kGroupFormat, kGroupVersion, shard, files_.identity()}, file);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // Hidden states and other features do not compress.
    const bool is_feature = columns_[i].rows == RowsOf::kPosition;
    file.add_numbers(path_of(columns_[i]), columns_[i].type, dims_of(columns_[i], entry), values[i],
                     is_feature ? Packing::kPlain : Packing::kPacked);
  }
  EncodedShard encoded;
  encoded.bytes = file.finish();
  encoded.content_hash = content_hash(hdf5::Reader(encoded.bytes, "group in memory"));
  files_.write(shard, encoded, entry);
}

}  // namespace outrider::data
