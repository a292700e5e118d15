#include "data/reader/state_cache.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/writer.h"

namespace outrider::data {
namespace {

constexpr std::size_t kMostKeyBytes = 1 << 16;

bool is_of_a_cache(const std::string& name) { return name.ends_with(".h5"); }

hdf5::Reader reader_of(const std::filesystem::path& path) {
  try {
    return hdf5::Reader(path);
  } catch (const hdf5::DamagedFile& error) {
    throw InputError(std::string(error.what()) + "; remove it, and it is computed again");
  }
}

std::string states_of(int layer) { return fmt::format("states/{}", layer); }

}  // namespace

std::vector<InputPath> cache_at(const std::string& folder) { return {{folder, is_of_a_cache}}; }

StateCache::StateCache(const TraceStore& store, std::filesystem::path folder,
                       std::vector<int> layers, StateSource& computed)
    : store_(store), folder_(std::move(folder)), layers_(std::move(layers)), computed_(computed) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw InputError(fmt::format("{}: {}", folder_.string(), error.message()));
}

std::string StateCache::key(int shard) const {
  const std::string* numerics = find_option(store_.identity(), "numerics");
  return fmt::format("states of model {}, numerics {}, layers {}, traces {}",
                     store_.identity().model_hash, numerics == nullptr ? "unknown" : *numerics,
                     layers_, store_.manifest().shards.at(shard).content_hash);
}

std::filesystem::path StateCache::path(int shard) const {
  Hasher hasher;
  hasher.add_text(key(shard));
  return folder_ / (hasher.hex() + ".h5");
}

std::int64_t StateCache::positions(int shard) const {
  const ShardEntry& entry = store_.manifest().shards.at(shard);
  return entry.prompt_tokens + entry.output_tokens - entry.traces;
}

std::int64_t StateCache::bytes() const {
  std::int64_t positions = 0;
  for (const int shard : store_.shards()) positions += this->positions(shard);
  return positions * store_.identity().width * std::ssize(layers_) *
         static_cast<std::int64_t>(sizeof(Bfloat16));
}

std::vector<int> StateCache::missing() const {
  std::vector<int> shards;
  for (const int shard : store_.shards())
    if (!hdf5::has_checksum(path(shard))) shards.push_back(shard);
  return shards;
}

void StateCache::fill(int shard) { write(store_.open(shard)); }

void StateCache::write(const ShardReader& reader) {
  std::vector<std::vector<Bfloat16>> values(layers_.size());
  for (std::size_t i = 0; i < reader.size(); ++i) {
    const Trace trace = reader.columns().trace(i, store_.identity().top_k);
    const std::vector<LayerStates> all = computed_.states(reader, i, trace);
    for (std::size_t l = 0; l < values.size(); ++l)
      values[l].insert(values[l].end(), all[l].values.begin(), all[l].values.end());
  }
  const auto width = static_cast<std::uint64_t>(store_.identity().width);
  hdf5::Writer file;
  file.add_text("key", key(reader.shard()));
  for (std::size_t l = 0; l < values.size(); ++l)
    file.add(states_of(layers_[l]), {reader.first_position(reader.size()), width},
             std::span<const Bfloat16>(values[l]), hdf5::Packing::kPlain);
  std::vector<std::byte> bytes = file.finish();
  hdf5::add_checksum(bytes);
  write_file_atomically(path(reader.shard()),
                        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<LayerStates> StateCache::states(const ShardReader& shard, std::size_t i, const Trace&) {
  const std::filesystem::path path = this->path(shard.shard());
  if (!hdf5::has_checksum(path)) write(shard);
  const hdf5::Reader file = reader_of(path);
  if (file.read_text("key", kMostKeyBytes) != key(shard.shard()))
    file.refuse("key", fmt::format("expected \"{}\"; remove the file", key(shard.shard())));
  const std::uint64_t first = shard.first_position(i);
  std::vector<LayerStates> all;
  for (const int layer : layers_)
    all.push_back(
        {layer, file.read_rows<Bfloat16>(states_of(layer),
                                         {shard.first_position(shard.size()),
                                          static_cast<std::uint64_t>(store_.identity().width)},
                                         first, shard.first_position(i + 1) - first)});
  return all;
}

}  // namespace outrider::data
