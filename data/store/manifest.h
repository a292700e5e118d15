#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "data/store/shard_plan.h"
#include "data/store/store_identity.h"

namespace outrider::data {

/// One finished shard.
struct ShardEntry {
  std::uint64_t bytes = 0;   // of its file
  std::string file_hash;     // of its file
  std::string content_hash;  // of what is in it: no dates, nothing of how it is packed
  std::int64_t traces = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string written;       // UTC, "2026-01-31T12:00:00Z"
  std::string code_version;  // of the program that wrote it
};

/// The list of finished shards that one process keeps: manifest.json, or manifest-2-of-3.json under
/// `--shard 2/3`. The store is what all manifests of a folder list together.
struct Manifest {
  StoreIdentity identity;
  ShardPlan plan;
  std::map<int, ShardEntry> shards;  // by number
};

std::string manifest_file_name(int part, int parts);
bool is_manifest_file_name(const std::string& name);
/// Whether a file or folder belongs to a store, going by its name.
bool is_of_a_store(const std::string& name);
/// "shard-00012.h5"
std::string shard_file_name(int shard);

/// @throws InputError naming the file and what is missing, of the wrong type or out of range
Manifest read_manifest(const std::filesystem::path& path);

/// Replaces the file: it is the old one or the new one at every moment.
void write_manifest(const std::filesystem::path& path, const Manifest& manifest);

/// All manifests of a folder in one.
/// @throws InputError when there is none, or two do not belong to one store, naming the difference
Manifest merge_manifests(const std::filesystem::path& folder);

/// What first differs between two manifests' identities or plans; empty when nothing does.
std::string first_difference(const Manifest& before, const Manifest& now);

/// Of a whole store: its identity, its plan and what is in its shards. No dates, no file names.
std::string content_hash(const Manifest& manifest);

}  // namespace outrider::data
