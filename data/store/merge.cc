#include "data/store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "data/store/group_format.h"
#include "data/store/refuse.h"
#include "data/store/shard_locks.h"
#include "data/store/shard_set_writer.h"
#include "data/store/trace_store.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/text_file.h"

namespace outrider::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 36;  // of a shard's file

/// The parts of a folder's manifests; 0 where they differ, as after a merge that was killed.
int division_of(const fs::path& folder) {
  std::set<int> found;
  for (const fs::path& path : manifests_of(folder)) found.insert(read_manifest(path).plan.parts);
  return found.size() == 1 ? *found.begin() : 0;
}

/// Adds a folder's files. @throws InputError if they are of another store
void add_folder(const fs::path& folder, bool is_first, MergedFiles& all) {
  Manifest more = merge_manifests(folder);
  const int parts = division_of(folder);
  if (is_first) {
    all.manifest = {more.identity, more.plan, {}};
    all.parts = parts;
  }
  if (const std::string difference = first_difference(all.manifest, more); !difference.empty())
    refuse(folder, "belongs to another store than the folder before it: " + difference);
  if (all.parts != parts) all.parts = 0;
  for (auto& [shard, entry] : more.shards) {
    const auto [known, is_new] = all.manifest.shards.try_emplace(shard, entry);
    if (is_new)
      all.files[shard] = folder / shard_file_name(shard);
    else if (known->second.content_hash != entry.content_hash)
      refuse(folder, fmt::format("has a shard {} of other content than {}", shard,
                                 all.files.at(shard).parent_path().string()));
  }
}

/// " of parts 2, 5 of 8: start them again with --shard I/8, or of a job array --array=1,4"
std::string parts_text(const std::vector<int>& shards, int parts) {
  if (parts < 2) return "; the command that started it finishes it";
  std::set<int> missing;
  for (const int shard : shards) missing.insert(shard % parts);
  std::string numbers, tasks;
  for (const int part : missing) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", part + 1);
    tasks += fmt::format("{}{}", tasks.empty() ? "" : ",", part);
  }
  return fmt::format(
      " of part{} {} of {}: start {} again with --shard I/{}, or of a job array --array={}",
      missing.size() == 1 ? "" : "s", numbers, parts, missing.size() == 1 ? "it" : "them", parts,
      tasks);
}

}  // namespace

StoreMerge::StoreMerge(std::vector<fs::path> folders) : folders_(std::move(folders)) {
  sets_.push_back(merged(""));
  std::set<std::string> groups;
  for (const fs::path& folder : folders_)
    for (const auto& entry : fs::directory_iterator(folder))
      if (is_group_folder_name(entry.path().filename().string()) && has_manifest(entry.path()))
        groups.insert(entry.path().filename().string());
  for (const std::string& group : groups) {
    MergedFiles of_group = merged(group);
    const std::string where = (folders_.front() / group).string();
    const Manifest expected{
        group_identity(manifest(), parse_group_identity(of_group.manifest.identity, where)),
        manifest().plan,
        {}};
    if (const std::string difference = first_difference(of_group.manifest, expected);
        !difference.empty())
      refuse(where, "belongs to another store, or more of this one: " + difference);
    sets_.push_back(std::move(of_group));
  }
}

MergedFiles StoreMerge::merged(const std::string& group) const {
  MergedFiles all;
  all.name = group;
  bool is_first = true;
  for (const fs::path& folder : folders_) {
    if (!group.empty() && !has_manifest(folder / group)) continue;
    add_folder(group.empty() ? folder : folder / group, is_first, all);
    is_first = false;
  }
  return all;
}

std::vector<std::string> StoreMerge::missing() const {
  std::vector<std::string> sentences;
  for (const MergedFiles& set : sets_) {
    std::vector<int> missing;
    const int shards = set.manifest.plan.shards();
    for (int shard = 0; shard < shards; ++shard)
      if (set.files.count(shard) == 0) missing.push_back(shard);
    if (missing.empty()) continue;
    sentences.push_back(fmt::format("{}{}: {} of {} shards are missing{}",
                                    folders_.front().string(),
                                    set.name.empty() ? "" : "/" + set.name, missing.size(), shards,
                                    parts_text(missing, set.parts)));
  }
  return sentences;
}

std::vector<std::string> StoreMerge::damaged(
    const std::function<void(std::int64_t)>& file_done) const {
  std::vector<std::string> sentences;
  std::int64_t done = 0;
  for (const MergedFiles& set : sets_) {
    for (const auto& [shard, path] : set.files) {
      try {
        check_file(path, set.manifest.shards.at(shard));
      } catch (const InputError& error) {
        sentences.emplace_back(error.what());
      }
      file_done(++done);
    }
  }
  return sentences;
}

std::int64_t StoreMerge::files() const {
  std::int64_t files = 0;
  for (const MergedFiles& set : sets_) files += std::ssize(set.files);
  return files;
}

void StoreMerge::in_place() const {
  for (const MergedFiles& set : sets_) {
    const fs::path folder = set.name.empty() ? folders_.front() : folders_.front() / set.name;
    const ShardLocks locks(folder, set.manifest.plan);
    const fs::path whole = folder / manifest_file_name(1, 1);
    write_manifest(whole, set.manifest);
    // Only now that the whole one is on disk.
    for (const fs::path& path : manifests_of(folder))
      if (path != whole) fs::remove(path);
    sync_folder(folder);
  }
}

void StoreMerge::copy_to(const fs::path& out,
                         const std::function<void(std::int64_t)>& file_done) const {
  std::int64_t done = 0;
  for (const MergedFiles& set : sets_) {
    ShardSetWriter writer(set.name.empty() ? out : out / set.name, set.manifest.identity,
                          set.manifest.plan);
    for (const int shard : writer.missing()) {
      const auto file = set.files.find(shard);
      if (file == set.files.end()) continue;
      const ShardEntry& entry = set.manifest.shards.at(shard);
      check_file(file->second, entry);
      writer.put(shard, read_text_file(file->second, kMostBytes), entry);
      file_done(++done);
    }
  }
}

}  // namespace outrider::data
