#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/store/shard_plan.h"
#include "data/store/store_identity.h"
#include "runtime/base/input_path.h"

namespace outrider::data {

/// One finished shard.
struct ShardEntry {
  std::uint64_t bytes = 0;   // of its file
  std::string file_hash;     // of its file
  std::string content_hash;  // of its content, without dates and packing
  std::int64_t traces = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string written;       // UTC, "2026-01-31T12:00:00Z"
  std::string code_version;  // of the program that wrote it
  std::string device;        // that computed it, "cpu" or "cuda"; empty: not recorded
  std::string machine;       // the device's name: engine::Place
};

/// The list of finished shards of one process: manifest.json, or manifest-2-of-3.json under `--shard 2/3`.
/// A store consists of the shards of all manifests in a folder.
struct Manifest {
  StoreIdentity identity;
  ShardPlan plan;
  std::map<int, ShardEntry> shards;  // by number
};

std::string manifest_file_name(int part, int parts);
bool is_manifest_file_name(const std::string& name);
/// Whether a file or folder is part of a store, by its name.
bool is_of_a_store(const std::string& name);
/// What is read of a store in a folder: its files, and those of its groups.
std::vector<InputPath> store_at(const std::string& folder);
/// "shard-00012.h5"
std::string shard_file_name(int shard);

/// @throws InputError naming the file and what is missing, of the wrong type or out of range
Manifest read_manifest(const std::filesystem::path& path);
/// The manifest in a text. @param path  the file's name in messages
Manifest parse_manifest(const std::string& text, const std::filesystem::path& path);

/// The text of a manifest's file.
std::string manifest_text(const Manifest& manifest);

/// Replaces the file atomically.
void write_manifest(const std::filesystem::path& path, const Manifest& manifest);

/// Whether a folder has a manifest.
bool has_manifest(const std::filesystem::path& folder);

/// The manifests of a folder, in alphabetical order.
std::vector<std::filesystem::path> manifests_of(const std::filesystem::path& folder);
/// @param error  why the folder cannot be read
std::vector<std::filesystem::path> manifests_of(const std::filesystem::path& folder,
                                                std::error_code& error);

/// The parts that --shard divided the store in a folder into, by the names of its manifests; 0: there is no store yet.
/// @throws InputError where there are manifests of several divisions
int parts_of_store(const std::filesystem::path& folder);

/// All manifests of a folder, merged.
/// @throws InputError if there is none, or two belong to different stores, naming the difference
Manifest merge_manifests(const std::filesystem::path& folder);

/// The first difference between two manifests' identities or plans; empty if equal.
std::string first_difference(const Manifest& before, const Manifest& now);

/// Hash of a whole store: its identity, its plan and the content of its shards, without dates and file
/// names.
std::string content_hash(const Manifest& manifest);

}  // namespace outrider::data
