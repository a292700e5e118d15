#include "data/store/trace_group.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/store/shard_content.h"
#include "data/store/shard_head.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

void check_column(const hdf5::Reader& file, const GroupColumn& column, const hdf5::Dims& dims) {
  const hdf5::DatasetInfo found = file.info(path_of(column));
  if (found.is_text || found.type != column.type || found.dims != dims) {
    file.refuse(path_of(column), fmt::format("expected {} rows of {} {}", dims[0], dims[1],
                                             hdf5::name_of(column.type)));
  }
}

void verify_group(const TraceStore& store, const std::string& name,
                  std::vector<std::string>& findings) {
  if (!has_manifest(store.folder() / group_folder_name(name))) {
    findings.push_back(fmt::format(
        "{}: group {}: was begun and has no manifest; give the same `data traces --add-to` again",
        store.folder().string(), name));
    return;
  }
  const TraceGroup group(store, name);
  for (const auto& [shard, entry] : group.manifest().shards) {
    try {
      const std::string hash = content_hash(group.open(shard));
      if (hash == entry.content_hash) continue;
      findings.push_back(fmt::format("{}: expected content hash {}, found {}",
                                     group.path(shard).string(), entry.content_hash, hash));
    } catch (const InputError& error) {
      findings.emplace_back(error.what());
    }
  }
  if (const std::size_t missing = group.missing().size(); missing > 0) {
    findings.push_back(fmt::format("{}: group {}: {} of {} files are missing",
                                   store.folder().string(), name, missing,
                                   group.manifest().plan.shards()));
  }
}

/// The names of all groups, those included that were interrupted before their first manifest.
std::vector<std::string> begun_groups(const TraceStore& store) {
  const std::size_t prefix = group_folder_name("").size();
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(store.folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (is_group_folder_name(name)) names.push_back(name.substr(prefix));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TraceGroup::TraceGroup(const TraceStore& store, const std::string& name)
    : base_(store.manifest().shards),
      folder_(store.folder() / group_folder_name(name)),
      manifest_(merge_manifests(folder_)),
      spec_(parse_group_identity(manifest_.identity, folder_.string())) {
  Manifest expected{group_identity(store.manifest(), spec_), store.manifest().plan, {}};
  const std::string difference = first_difference(manifest_, expected);
  if (!difference.empty() || spec_.name != name) {
    throw InputError(fmt::format("{}: belongs to another store: {}", folder_.string(),
                                 difference.empty() ? "its name" : difference));
  }
}

std::vector<int> TraceGroup::missing() const {
  std::vector<int> missing;
  for (const auto& [shard, entry] : base_)
    if (manifest_.shards.count(shard) == 0) missing.push_back(shard);
  return missing;
}

std::filesystem::path TraceGroup::path(int shard) const { return folder_ / shard_file_name(shard); }

hdf5::Reader TraceGroup::open(int shard, bool check_hash) const {
  const auto entry = manifest_.shards.find(shard);
  const auto base = base_.find(shard);
  if (entry == manifest_.shards.end() || base == base_.end())
    throw InputError(fmt::format("{}: has no file for shard {}", folder_.string(), shard));
  if (check_hash) check_file(path(shard), entry->second);
  hdf5::Reader file(path(shard));
  check_head({kGroupFormat, kGroupVersion, shard, manifest_.identity}, file);
  for (const GroupColumn& column : spec_.columns)
    check_column(file, column, dims_of(column, base->second));
  return file;
}

const GroupColumn& TraceGroup::column(const std::string& name) const {
  const auto found = std::find_if(spec_.columns.begin(), spec_.columns.end(),
                                  [&](const GroupColumn& each) { return each.name == name; });
  if (found == spec_.columns.end())
    throw InputError(fmt::format("{}: has no column '{}'", folder_.string(), name));
  return *found;
}

std::vector<std::string> group_names(const TraceStore& store) {
  std::vector<std::string> names = begun_groups(store);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return !has_manifest(store.folder() / group_folder_name(name));
                             }),
              names.end());
  return names;
}

std::vector<std::string> verify_groups(const TraceStore& store) {
  std::vector<std::string> findings;
  for (const std::string& name : begun_groups(store)) {
    try {
      verify_group(store, name, findings);
    } catch (const InputError& error) {
      findings.emplace_back(error.what());
    }
  }
  return findings;
}

}  // namespace outrider::data
