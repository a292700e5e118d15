#include "data/store/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/store/group_format.h"
#include "data/store/refuse.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/file_kind.h"
#include "runtime/base/hash.h"
#include "runtime/base/json_number.h"
#include "runtime/base/json_text.h"
#include "runtime/base/text_file.h"

namespace outrider::data {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "outrider traces";
constexpr int kVersion = 1;
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

Json json_of(int shard, const ShardEntry& entry) {
  return {{"shard", shard},
          {"bytes", entry.bytes},
          {"file_hash", entry.file_hash},
          {"content_hash", entry.content_hash},
          {"traces", entry.traces},
          {"prompt_tokens", entry.prompt_tokens},
          {"output_tokens", entry.output_tokens},
          {"written", entry.written},
          {"code_version", entry.code_version},
          {"device", entry.device},
          {"machine", entry.machine}};
}

ShardEntry entry_of(const Json& json, const std::string& path) {
  return {whole_number_at<std::uint64_t>(json, "bytes", path),
          json.at("file_hash"),
          json.at("content_hash"),
          whole_number_at<std::int64_t>(json, "traces", path),
          whole_number_at<std::int64_t>(json, "prompt_tokens", path),
          whole_number_at<std::int64_t>(json, "output_tokens", path),
          json.at("written"),
          json.at("code_version"),
          json.value("device", ""),  // earlier programs did not record it
          json.value("machine", "")};
}

Manifest manifest_of(const Json& json, const std::string& path) {
  if (json.at("format") != kFormat) refuse(path, "is not a manifest of traces");
  if (json.at("version") != kVersion) {
    refuse(path, fmt::format("expected version {}, found {}; this program is too old or too new",
                             kVersion, json.at("version").dump()));
  }
  for (const char* key : {"model_name", "logits_hash"})
    if (!json.contains(key))
      refuse(path, fmt::format("has no {}, as stores of earlier versions, which are not read; "
                               "`data traces` makes the traces anew in another folder",
                               key));
  Manifest manifest;
  manifest.identity = parse_identity(json.at("identity").dump(), path);
  manifest.identity.model_name = json.at("model_name");
  manifest.identity.logits_hash = json.at("logits_hash");
  ShardPlan& plan = manifest.plan;
  plan = {whole_number_at<std::int64_t>(json, "conversations", path),
          whole_number_at<int>(json, "conversations_per_shard", path),
          whole_number_at<int>(json, "part", path), whole_number_at<int>(json, "parts", path)};
  if (plan.conversations < 0 || plan.conversations_per_shard < 1 || plan.has_too_many_shards() ||
      plan.part < 1 || plan.parts < plan.part) {
    refuse(path, "has a plan with a number out of range");
  }
  for (const Json& shard : json.at("shards")) {
    const auto number = whole_number_at<std::int64_t>(shard, "shard", path);
    ShardEntry entry = entry_of(shard, path);
    if (number < 0 || number >= plan.shards() || entry.traces < 0 || entry.prompt_tokens < 0 ||
        entry.output_tokens < 0) {
      refuse(path, fmt::format("lists shard {} with a number out of range", number));
    }
    if (!manifest.shards.emplace(static_cast<int>(number), std::move(entry)).second) {
      refuse(path, fmt::format("lists shard {} twice", number));
    }
  }
  return manifest;
}

}  // namespace

std::string manifest_file_name(int part, int parts) {
  return parts == 1 ? "manifest.json" : fmt::format("manifest-{}-of-{}.json", part, parts);
}

bool is_manifest_file_name(const std::string& name) {
  return name.starts_with("manifest") && name.ends_with(".json");
}

bool is_of_a_store(const std::string& name) {
  // A lock on a file system without locks: see ShardLocks.
  const bool is_held = name.starts_with("lock.") && name.find(".held") != std::string::npos;
  return name == "lock" || is_held || is_group_folder_name(name) || is_manifest_file_name(name) ||
         (name.starts_with("shard-") && name.ends_with(".h5"));
}

std::string shard_file_name(int shard) { return fmt::format("shard-{:05}.h5", shard); }

Manifest read_manifest(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    refuse(path, "expected a file, found " + file_kind(path));  // a pipe would be waited for
  return parse_manifest(read_text_file(path, kMaxBytes), path);
}

Manifest parse_manifest(const std::string& text, const std::filesystem::path& path) {
  try {
    return manifest_of(Json::parse(text), path.string());
  } catch (const Json::exception& error) {
    refuse(path, fmt::format("expected a manifest of traces: {}", error.what()));
  }
}

std::string manifest_text(const Manifest& manifest) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"model_name", manifest.identity.model_name},
               {"identity", Json::parse(identity_text(manifest.identity))},
               {"conversations", manifest.plan.conversations},
               {"conversations_per_shard", manifest.plan.conversations_per_shard},
               {"part", manifest.plan.part},
               {"parts", manifest.plan.parts},
               {"logits_hash", manifest.identity.logits_hash}};
  Json& shards = json["shards"] = Json::array();
  for (const auto& [shard, entry] : manifest.shards) shards.push_back(json_of(shard, entry));
  // File names may not be UTF-8.
  return json_text(json, 1) + "\n";
}

void write_manifest(const std::filesystem::path& path, const Manifest& manifest) {
  write_file_atomically(path, manifest_text(manifest));
}

bool has_manifest(const std::filesystem::path& folder) { return !manifests_of(folder).empty(); }

std::vector<std::filesystem::path> manifests_of(const std::filesystem::path& folder) {
  std::error_code none;
  return manifests_of(folder, none);
}

std::vector<std::filesystem::path> manifests_of(const std::filesystem::path& folder,
                                                std::error_code& error) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (is_manifest_file_name(entry.path().filename().string())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

int parts_of_store(const std::filesystem::path& folder) {
  int parts = 0;
  for (const auto& path : manifests_of(folder)) {
    const int of_this = read_manifest(path).plan.parts;
    if (parts > 0 && of_this != parts)
      refuse(folder,
             fmt::format("has manifests of {} and of {} parts; data merge {} puts them together",
                         parts, of_this, folder.string()));
    parts = of_this;
  }
  return parts;
}

std::vector<InputPath> store_at(const std::string& folder) {
  std::vector<InputPath> inputs = {{folder, is_of_a_store}};
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (is_group_folder_name(entry.path().filename().string()))
      inputs.push_back({entry.path(), is_of_a_store});
  return inputs;
}

Manifest merge_manifests(const std::filesystem::path& folder) {
  std::error_code error;
  const std::vector<std::filesystem::path> paths = manifests_of(folder, error);
  if (error) refuse(folder, error.message());
  if (paths.empty()) refuse(folder, "expected a folder of traces, found no manifest in it");

  Manifest merged = read_manifest(paths.front());
  merged.plan.part = merged.plan.parts = 1;
  for (const auto& path : paths) {
    Manifest manifest = read_manifest(path);
    const std::string difference = first_difference(merged, manifest);
    if (!difference.empty()) {
      refuse(path, fmt::format("belongs to another store than {}: {}", paths.front().string(),
                               difference));
    }
    for (auto& [shard, entry] : manifest.shards) {
      const auto [known, is_new] = merged.shards.try_emplace(shard, entry);
      if (!is_new && known->second.content_hash != entry.content_hash) {
        refuse(path, fmt::format("lists shard {} with other content than another manifest", shard));
      }
    }
  }
  return merged;
}

std::string first_difference(const Manifest& before, const Manifest& now) {
  std::string difference = first_difference(before.identity, now.identity);
  if (difference.empty() && before.identity.logits_hash != now.identity.logits_hash)
    difference =
        fmt::format("the arithmetic, by the hash of a fixed text's logits, was {} and is now {}",
                    before.identity.logits_hash, now.identity.logits_hash);
  if (difference.empty() && before.plan.conversations != now.plan.conversations) {
    difference = fmt::format("there were {} conversations and are now {}",
                             before.plan.conversations, now.plan.conversations);
  }
  if (difference.empty() &&
      before.plan.conversations_per_shard != now.plan.conversations_per_shard) {
    difference = fmt::format("a shard had {} conversations and has now {}",
                             before.plan.conversations_per_shard, now.plan.conversations_per_shard);
  }
  return difference;
}

std::string content_hash(const Manifest& manifest) {
  Hasher hasher;
  hasher.add_text(identity_text(manifest.identity));
  hasher.add_number(static_cast<std::uint64_t>(manifest.plan.conversations));
  hasher.add_number(static_cast<std::uint64_t>(manifest.plan.conversations_per_shard));
  for (const auto& [shard, entry] : manifest.shards) {
    hasher.add_number(static_cast<std::uint64_t>(shard));
    hasher.add_text(entry.content_hash);
  }
  return hasher.hex();
}

}  // namespace outrider::data
