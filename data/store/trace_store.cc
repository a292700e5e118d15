#include "data/store/trace_store.h"

#include <fmt/core.h>

#include "data/store/refuse.h"
#include "runtime/base/file_hash.h"

namespace outrider::data {

namespace {

void check_totals(const std::filesystem::path& path, const ShardEntry& entry,
                  const ShardColumns& columns) {
  const auto compare = [&path](const char* what, std::int64_t listed, std::size_t found) {
    if (listed == static_cast<std::int64_t>(found)) return;
    refuse(path, fmt::format("expected {} {} by the manifest, found {}", listed, what, found));
  };
  compare("traces", entry.traces, columns.traces());
  compare("prompt tokens", entry.prompt_tokens, columns.prompts.values.size());
  compare("output tokens", entry.output_tokens, columns.outputs.values.size());
}

}  // namespace

TraceStore::TraceStore(std::filesystem::path folder)
    : folder_(std::move(folder)), manifest_(merge_manifests(folder_)) {
  for (const auto& [shard, entry] : manifest_.shards) shards_.push_back(shard);
}

std::vector<int> TraceStore::missing() const {
  std::vector<int> missing;
  for (int shard = 0; shard < manifest_.plan.shards(); ++shard) {
    if (manifest_.shards.count(shard) == 0) missing.push_back(shard);
  }
  return missing;
}

void TraceStore::keep_only(const std::vector<int>& shards) {
  std::map<int, ShardEntry> kept;
  for (const int shard : shards) {
    const auto found = manifest_.shards.find(shard);
    if (found == manifest_.shards.end())
      refuse(folder_, fmt::format("expected shard {}, found none of that number", shard));
    kept.insert(*found);
  }
  manifest_.shards = std::move(kept);
  shards_ = shards;
}

std::filesystem::path TraceStore::path(int shard) const { return folder_ / shard_file_name(shard); }

ShardReader TraceStore::open(int shard, bool check_hash) const {
  const ShardEntry& entry = manifest_.shards.at(shard);
  if (check_hash) check_file(path(shard), entry);
  ShardReader reader(path(shard), identity(), shard);
  check_totals(path(shard), entry, reader.columns());
  return reader;
}

void check_file(const std::filesystem::path& path, const ShardEntry& entry) {
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) refuse(path, error.message());
  if (bytes != entry.bytes) {
    refuse(path, fmt::format("damaged: expected {} bytes, found {}", entry.bytes, bytes));
  }
  const std::string found = file_hash(path);
  if (found != entry.file_hash) {
    refuse(path, fmt::format("damaged: expected hash {}, found {}", entry.file_hash, found));
  }
}

}  // namespace outrider::data
