#include "data/store/shard_set_writer.h"

#include <fmt/core.h>

#include <stdexcept>

#include "data/store/group_format.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/utc_time.h"

namespace outrider::data {
namespace {

namespace fs = std::filesystem;

bool is_unfinished(const std::string& name) { return name.find(".part-") != std::string::npos; }

/// Creates the folder, or checks that it has a store or is empty.
fs::path prepared(fs::path folder, const ShardPlan& plan) {
  if (plan.part < 1 || plan.part > plan.parts || plan.conversations_per_shard < 1) {
    throw std::logic_error("shard plan with a number out of range");
  }
  if (plan.has_too_many_shards()) {
    throw InputError(fmt::format("{}: would have more than {} shards; make several stores",
                                 folder.string(), ShardPlan::kMostShards));
  }
  std::error_code error;
  if (fs::create_directories(folder, error)) {
    sync_folder(folder.has_parent_path() ? folder.parent_path() : ".");
  }
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
  std::string foreign_file;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_of_a_store(name) && !is_unfinished(name)) foreign_file = name;
  }
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
  if (!has_manifest(folder) && !foreign_file.empty()) {
    throw InputError(
        fmt::format("{}: expected a folder of traces or an empty one, found '{}' in it",
                    folder.string(), foreign_file));
  }
  if (const int parts = parts_of_store(folder); parts > 0 && parts != plan.parts) {
    throw InputError(
        fmt::format("{}: was begun with --shard I/{}, now with --shard I/{}; give the same number "
                    "of parts, or put them together with data merge",
                    folder.string(), parts, plan.parts));
  }
  return folder;
}

}  // namespace

ShardSetWriter::ShardSetWriter(fs::path folder, StoreIdentity identity, ShardPlan plan,
                               engine::Place place)
    : folder_(prepared(std::move(folder), plan)),
      manifest_{std::move(identity), plan, {}},
      place_(std::move(place)),
      manifest_path_(folder_ / manifest_file_name(plan.part, plan.parts)),
      locks_(folder_, plan) {
  remove_leftovers();
  const std::map<int, ShardEntry> finished = continue_store();
  for (int shard = plan.part - 1; shard < plan.shards(); shard += plan.parts) {
    if (finished.count(shard) == 0) missing_.push_back(shard);
  }
}

void ShardSetWriter::write(int shard, const EncodedShard& encoded, const ShardEntry& counts) {
  put(shard, {reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()},
      {encoded.bytes.size(), hash_hex(encoded.bytes), encoded.content_hash, counts.traces,
       counts.prompt_tokens, counts.output_tokens, utc_now(), code_version(),
       place_.name.empty() ? "" : place_.device(), place_.name});
}

void ShardSetWriter::put(int shard, std::string_view bytes, const ShardEntry& entry) {
  if (shard < 0 || shard >= manifest_.plan.shards() || !manifest_.plan.is_ours(shard)) {
    throw std::logic_error(fmt::format("shard {} is not of this part", shard));
  }
  write_file_atomically(folder_ / shard_file_name(shard), bytes);
  // Only after the file is on disk; until then the shard counts as missing.
  manifest_.shards[shard] = entry;
  write_manifest(manifest_path_, manifest_);
}

/// Removes the partial files of a killed process of this part. Processes of other parts may be running.
void ShardSetWriter::remove_leftovers() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!is_unfinished(name)) continue;
    const std::string target = name.substr(0, name.find(".part-"));
    bool ours = target == manifest_path_.filename().string();
    for (int shard = manifest_.plan.part - 1; shard < manifest_.plan.shards() && !ours;
         shard += manifest_.plan.parts) {
      ours = target == shard_file_name(shard);
    }
    if (ours) fs::remove(entry.path(), ignored);
  }
}

/// Reads the existing manifests, and writes one for this part in any case.
/// @return all finished shards, of any process
std::map<int, ShardEntry> ShardSetWriter::continue_store() {
  std::map<int, ShardEntry> finished;
  if (has_manifest(folder_)) {
    Manifest there = merge_manifests(folder_);
    const std::string difference = first_difference(there, manifest_);
    if (!difference.empty()) {
      throw InputError(fmt::format(
          "{}: was started with other options: {}; use the same options, or another folder",
          folder_.string(), difference));
    }
    finished = std::move(there.shards);
  }
  if (fs::exists(manifest_path_)) {
    manifest_.shards = read_manifest(manifest_path_).shards;
  } else {
    write_manifest(manifest_path_, manifest_);
  }
  return finished;
}

}  // namespace outrider::data
